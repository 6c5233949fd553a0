package chronosketch.advisor

/** The options of the command line. */
final case class Options(
    grid: Option[CellGrid] = None,
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

  private def defaultGrid: CellGrid = CellGrid.all.find(_.name == "default").get

  /** Parses the arguments; Left is an error message. */
  def parse(args: Seq[String]): Either[String, Options] = {
    def read(left: List[String], options: Options): Either[String, Options] = left match {
      case Nil => Right(options)
      case "--grid" :: name :: more =>
        CellGrid.all.find(_.name == name).toRight(s"no grid $name").flatMap(g =>
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
