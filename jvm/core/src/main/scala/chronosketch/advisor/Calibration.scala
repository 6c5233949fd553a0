package chronosketch.advisor

/** Measures the time and memory of each approach to sliding frames on this machine, for the advisor.
  *
  * Guarantee  ends within the given seconds, except for finishing the current cell; cells that are not reached are not printed
  * Cost       one core
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

  /** Prints the machine, and for each cell a progress line and a result line. */
  private[advisor] def run(options: Options, print: String => Unit): Unit = {
    val end = System.nanoTime + options.budget * 1000000000L
    val cells = options.chosen
    val longest = cells.map(_.retention).maxOption.getOrElse(0)
    val latencies = new Latencies(longest, options.seed)
    print(JsonLines.machine)
    print(JsonLines.progress(0, cells.size, "warm-up"))
    val approaches = cells.map(cell => (cell.aggregate, cell.approach)).distinct
    // run all approaches before the first is measured, so that the JIT compiler has seen all of them
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
      print(JsonLines.progress(done, cells.size, cell.text))
      val budget = (end - System.nanoTime) / (cells.size - done)
      val workload = Approaches.workload(cell, latencies, ~options.seed)
      print(JsonLines.cell(cell, Measurement.of(workload, budget)))
      done += 1
    }
    val ends = if (done == cells.size) "done" else "the time is over"
    print(JsonLines.progress(done, cells.size, ends))
  }
}
