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
      Measurement.measure(
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
      print(JsonLines.cell(cell, Measurement.measure(workload, budget)))
      done += 1
    }
    val ends = if (done == cells.size) "done" else "the time is over"
    print(JsonLines.progress(done, cells.size, ends))
  }
}

/** The options of the command line. */
final case class Options(
    grid: Option[CalibrationGrid] = None,
    seed: Long = 1L,
    seconds: Option[Int] = None,
    only: Option[Set[String]] = None,
    cells: Seq[Cell] = Nil
) {

  /** The given cells and those of the grid. Without a grid option, the default grid is used only if no cells are given. */
  def chosen: Seq[Cell] = {
    val ofGrid =
      if (grid.isEmpty && cells.nonEmpty) Nil else grid.getOrElse(Options.defaultGrid).cells(seed)
    (cells ++ ofGrid).filter(cell => only.forall(_(cell.approach)))
  }

  /** The seconds for all cells. By default, given cells get half a second each. */
  def budget: Int =
    seconds.getOrElse(
      if (grid.isEmpty && cells.nonEmpty) 2 + chosen.size / 2 else grid.getOrElse(Options.defaultGrid).seconds
    )
}

object Options {
  val Usage =
    """chronosketch.advisor.Calibration: CPU time and memory of approaches to sliding frames, as lines of JSON
      |  --grid small|default|large
      |  --seed N
      |  --seconds N
      |  --only approach,approach
      |  --cell aggregate,approach,R,S,epsilon   (as often as approaches; alone, no grid is measured)""".stripMargin

  private def defaultGrid: CalibrationGrid = CalibrationGrid.all.find(_.name == "default").get

  /** Parses the arguments; Left is an error message. */
  def parse(args: Seq[String]): Either[String, Options] = {
    def read(left: List[String], options: Options): Either[String, Options] = left match {
      case Nil => Right(options)
      case "--grid" :: name :: more =>
        CalibrationGrid.all.find(_.name == name).toRight(s"no grid $name").flatMap(g =>
          read(more, options.copy(grid = Some(g)))
        )
      case "--seed" :: n :: more =>
        n.toLongOption.toRight(s"no number: $n").flatMap(seed => read(more, options.copy(seed = seed)))
      case "--seconds" :: n :: more =>
        n.toIntOption.filter(_ > 0).toRight(s"no number of seconds: $n")
          .flatMap(seconds => read(more, options.copy(seconds = Some(seconds))))
      case "--only" :: names :: more =>
        val approaches = names.split(',').toSet
        val unknown = approaches -- Approaches.all.map(_._2)
        if (unknown.nonEmpty) Left(s"no approach ${unknown.mkString(", ")}")
        else read(more, options.copy(only = Some(approaches)))
      case "--cell" :: text :: more =>
        cell(text).toRight(s"no cell: $text")
          .flatMap(one => read(more, options.copy(cells = options.cells :+ one)))
      case unknown :: _ => Left(s"not understood: $unknown")
    }
    read(args.toList, Options())
  }

  private def cell(text: String): Option[Cell] = text.split(',') match {
    case Array(aggregate, approach, r, s, e) =>
      for {
        retention <- r.toIntOption if retention > 0 && retention <= Latencies.MaxFrame
        slide <- s.toIntOption if slide > 0 && slide <= Latencies.MaxFrame
        epsilon <- e.toDoubleOption
        if Approaches.all.contains((aggregate, approach))
        if Approaches.isExact(approach) || epsilon > 0 && epsilon < 1
      } yield Cell(aggregate, approach, retention, slide, epsilon)
    case _ => None
  }
}
