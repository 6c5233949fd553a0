package chronosketch.advisor

import scala.collection.mutable.ArrayBuffer

import chronosketch.Suite

/** Tests the lines that a calibration prints, for every approach with small frames. */
class CalibrationSuite extends Suite {
  private val text = "\"(?:[^\"\\\\]|\\\\[\"\\\\])*\""
  private val number = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:E-?[0-9]+)?"
  private val field = s"($text):($text|$number)".r
  private val line = s"\\{(?:$text:(?:$text|$number)(?:,(?!\\})|(?=\\})))+\\}".r

  /** The fields of a line, in order. */
  private def read(printed: String): Seq[(String, String)] = {
    assert(line.matches(printed), s"no JSON: $printed")
    field.findAllMatchIn(printed).map(m => m.group(1).drop(1).dropRight(1) -> m.group(2)).toSeq
  }

  private def run(options: Options): Seq[Seq[(String, String)]] = {
    val lines = ArrayBuffer.empty[String]
    Calibration.run(options, lines += _)
    lines.map(read).toSeq
  }

  private def kind(line: Seq[(String, String)]): String = line.head._2.drop(1).dropRight(1)

  private val names =
    "kind place aggregate approach retention slide epsilon delta update_ns query_ns bytes error repeats".split(
      ' '
    ).toSeq

  test("every approach prints a progress line and a result line") {
    // a busy machine may not reach all cells in a few seconds, so try with more
    def within(seconds: Int) =
      run(Options(grid = Some(CalibrationGrid("tiny", seconds, Seq(300), Seq(_ => 10, _ / 4), Seq(0.2)))))
    val lines = Iterator.iterate(4)(2 * _).take(6).map(within)
      .find(_.count(kind(_) == "cell") == 2 * Approaches.all.size).getOrElse(within(4))
    val cells = lines.filter(kind(_) == "cell")
    assertEquals(cells.size, 2 * Approaches.all.size)
    assertEquals(lines.size, 2 * cells.size + 3)
    assertEquals(lines.map(kind).take(4), Seq("machine", "progress", "progress", "cell"))
    assertEquals(lines.head.map(_._1), Seq("kind", "cores", "cpu", "jvm", "os", "version"))
    assertEquals(lines(1).map(_._1), Seq("kind", "done", "of", "cell"))
    assertEquals(lines.last.toMap.apply("done"), cells.size.toString)
    assertEquals(
      cells.map(c => (c(2)._2, c(3)._2)).toSet,
      Approaches.all.map { case (a, b) => (s"\"$a\"", s"\"$b\"") }.toSet
    )
    for (cell <- cells) {
      assertEquals(cell.map(_._1), names)
      val fields = cell.toMap
      def value(name: String) = fields(name).toDouble
      def clue = cell.mkString(" ")
      assert(value("update_ns") > 0 && value("query_ns") >= 0 && value("repeats") >= 1, clue)
      assert(value("bytes") > 64 && value("bytes") < 1000000, clue)
      val approach = fields("approach").drop(1).dropRight(1)
      assertEquals(value("epsilon"), if (Approaches.isExact(approach)) 0.0 else 0.2, clue)
      // a sample's error is bounded with high probability only, and a biased sample's is not bounded
      val maxError =
        if (Approaches.isExact(approach)) 1e-9 else if (approach == "biased_reservoir") 0.5 else 0.2
      assert(value("error") <= maxError, clue)
      if (approach == "expiration_list") assert(value("bytes") >= 8 * 300, clue)
    }
  }

  test("equal seeds give equal cells and elements") {
    val grid = CalibrationGrid.all.head
    assertEquals(grid.cells(3L), grid.cells(3L))
    assertNotEquals(grid.cells(3L), grid.cells(4L))
    val (some, others) = (new Latencies(1000, 3L), new Latencies(1000, 3L))
    assertEquals(some.keys.toSeq, others.keys.toSeq)
    val sorted = some.keys.sorted
    def at(share: Double) = sorted((share * sorted.length).toInt)
    Seq(0.5 -> 798, 0.9 -> 1247, 0.99 -> 1874).foreach { case (share, value) =>
      assert(math.abs(at(share) - value) <= 0.02 * value, s"${at(share)}, $value expected")
    }
    assert(sorted.last <= 74265)
  }

  test("command lines are parsed, and invalid ones rejected") {
    val cell = "--cell variance,variance_histogram,500,5,0.05"
    val options =
      Options.parse(s"$cell --seed 7 --cell quantile,block_sort,100,1,0 --seconds 3".split(' ').toSeq)
    assertEquals(
      options.map(_.chosen),
      Right(
        Seq(
          Cell("variance", "variance_histogram", 500, 5, 0.05),
          Cell("quantile", "block_sort", 100, 1, 0.0)
        )
      )
    )
    assertEquals(options.map(o => (o.seed, o.budget)), Right((7L, 3)))
    val only = Options.parse(Seq("--grid", "small", "--only", "cmqs,panes"))
    assertEquals(only.map(_.chosen.map(_.approach).toSet), Right(Set("cmqs", "panes")))
    assertEquals(Options.parse(Nil).map(_.budget), Right(120))
    for (
      wrong <- Seq(
        "--grid huge",
        "--seed x",
        "--seconds 0",
        "--only sorting",
        "--cell count,cmqs,10,1,0.1",
        "--cell quantile,cmqs,10,1,0",
        "--cell quantile,cmqs,0,1,0.1",
        "--cell quantile,cmqs",
        "--seed",
        "more"
      )
    ) assert(Options.parse(wrong.split(' ').toSeq).isLeft, wrong)
  }

  test("the time budget is kept, and cells beyond it are not printed") {
    val grid = CalibrationGrid("much", 1, Seq(50000), Seq(_ => 1), Seq(0.1, 0.05, 0.02, 0.01))
    val began = System.nanoTime
    val lines = run(Options(grid = Some(grid)))
    val seconds = (System.nanoTime - began) / 1e9
    assert(seconds < 15, s"$seconds s")
    val cells = lines.count(kind(_) == "cell")
    assert(cells >= 1 && cells <= grid.cells(1L).size)
    assertEquals(lines.last.toMap.apply("done"), cells.toString)
  }
}
