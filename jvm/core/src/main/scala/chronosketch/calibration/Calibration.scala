package chronosketch.calibration

/** How much time and memory does each approach to a sliding frame take here, on this machine?
  *
  * Guarantee  keeps to the seconds given, but for the cell at hand; cells that the time does not reach are not printed
  * Cost       a core
  * Units      CPU time of the thread in ns; bytes of heap as [[chronosketch.memory.Meter]] counts them
  * Source     Meijer 2011, §5.3 and §6: T(R, S) = S·T_u(R) + T_q(R)
  */
object Calibration {
  private val WarmUp = Cell("", "", 1200, 20, 0.1)

  def main(args: Array[String]): Unit = Options.parse(args.toSeq) match {
    case Right(options) => run(options, println)
    case Left(wrong) =>
      System.err.println(s"$wrong\n${Options.Usage}")
      sys.exit(2)
  }

  /** Prints the machine, and each cell after a line that it is its turn. */
  private[calibration] def run(options: Options, print: String => Unit): Unit = {
    val end = System.nanoTime + options.budget * 1000000000L
    val cells = options.chosen
    val longest = cells.map(_.retention).maxOption.getOrElse(0)
    val latencies = new Latencies(longest, options.seed)
    print(Lines.machine)
    print(Lines.progress(0, cells.size, "warm-up"))
    val approaches = cells.map(cell => (cell.aggregate, cell.approach)).distinct
    // so that the compiler has seen all of them before the first is measured
    for ((aggregate, approach) <- approaches) {
      val small = WarmUp.copy(aggregate = aggregate, approach = approach)
      Measurement.of(
        Approaches.workload(small, latencies, ~options.seed),
        (end - System.nanoTime) / 8 / approaches.size
      )
    }
    var done = 0
    while (done < cells.size && System.nanoTime < end) {
      val cell = cells(done)
      print(Lines.progress(done, cells.size, cell.text))
      val budget = (end - System.nanoTime) / (cells.size - done)
      val workload = Approaches.workload(cell, latencies, ~options.seed)
      print(Lines.cell(cell, Measurement.of(workload, budget)))
      done += 1
    }
    val ends = if (done == cells.size) "done" else "the time is over"
    print(Lines.progress(done, cells.size, ends))
  }
}
