package chronosketch.spark.window

import scala.util.Random

import org.apache.spark.sql.Row

import chronosketch.Cases
import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.{Exact, SparkSuite}

/** Runs windows in every way that Spark can run them, and compares the answers of each group with its rows. */
class WindowMatrixSuite extends SparkSuite {
  private val epsilon = 0.1 // not exact; the default would be, with so few rows per group
  private val phis = Seq("0", "0.01", "0.5", "0.99", "1")
  private val list = phis.mkString("array(", ", ", ")")

  private def table(name: String, partitions: Int): Unit = spark
    .range(0, 9000, 1, partitions)
    .selectExpr(
      "CAST(floor(sqrt(id % 9)) AS BIGINT) AS k",
      "IF(id % 7 = 3, NULL, pmod(id * 104729, 1009)) AS v",
      "IF(id % 11 = 5, NULL, timestamp_seconds(pmod(id * 7919, 10007))) AS t",
      "IF(id % 13 = 5, NULL, id % 5) AS status",
      "id"
    )
    .createOrReplaceTempView(name)

  private lazy val kept: Map[Long, Seq[RandomWindows.Row]] = {
    table("windows", 2)
    rows(
      "SELECT k, v, unix_seconds(t), coalesce(status, -2) FROM windows WHERE v IS NOT NULL AND t IS NOT NULL"
    ).groupMap(_.getLong(0))(r => RandomWindows.Row(r.getLong(1), r.getLong(2), r.getLong(3)))
  }

  private def selectedValues(k: Long, w: RandomWindow): IndexedSeq[Long] = RandomWindows.meant(kept(k), w)

  private val settings: Seq[(String, Seq[(String, String)])] = Seq(
    "default" -> Nil,
    "AQE off" -> Seq("spark.sql.adaptive.enabled" -> "false"),
    "whole-stage codegen off" -> Seq("spark.sql.codegen.wholeStage" -> "false"),
    "no codegen" -> Seq(
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    ),
    "Spark's own operator" -> Seq(AggregateConf.Enabled -> "false"),
    "Spark's own operator, sort fallback from the second key" -> Seq(
      AggregateConf.Enabled -> "false",
      "spark.sql.objectHashAggregate.sortBased.fallbackThreshold" -> "1"
    ),
    "Spark's own sort aggregate, no codegen" -> Seq(
      AggregateConf.Enabled -> "false",
      "spark.sql.execution.useObjectHashAggregateExec" -> "false",
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    ),
    "ANSI off" -> Seq("spark.sql.ansi.enabled" -> "false")
  )

  for {
    ((name, conf), number) <- Cases.some(5, settings.zipWithIndex)
    partitions <- if (name == "default") Seq(1, 200) else Seq(3)
  } test(s"random windows select the right rows: $name, partitions: $partitions") {
    val random = new Random(4217L + number)
    val windows = Seq.fill(12)(RandomWindows.next(random, random.nextInt(3)))
    kept
    table("parts", partitions)
    withConf(conf: _*) {
      val shots = windows.zipWithIndex.map { case (w, i) =>
        s"approx_window_quantile(v, t, $list, ${w.ofRows}, $epsilon) AS q$i"
      }
      val stored =
        s"""SELECT k, sketch_merge_agg(s) AS s FROM (
           |  SELECT k, window_sketch_agg(v, t, $epsilon, filters => ${RandomWindows.filters}) AS s FROM parts GROUP BY k, id % 3
           |) GROUP BY k""".stripMargin
      val asked = windows.zipWithIndex.map { case (w, i) =>
        s"""sketch_quantile_bounds(sketch_window(s, ${w.ofSketch}), $list, 'bigint') AS b$i,
           |sketch_count_bounds(sketch_window(s, ${w.ofSketch})) AS n$i,
           |sketch_rank_error(sketch_window(s, ${w.ofSketch})) AS e$i,
           |sketch_quantile(sketch_window(s, ${w.ofSketch}), $list, 'bigint') AS sq$i""".stripMargin
      }
      val answers = rows(s"SELECT k, count(*) AS c, ${shots.mkString(", ")} FROM parts GROUP BY k")
      assertEquals(answers.size, kept.size)
      answers.foreach { r =>
        windows.zipWithIndex.foreach { case (w, i) =>
          check(w, r.getLong(0), r.getAs[scala.collection.Seq[Long]](s"q$i"))
        }
      }
      val sketches = rows(s"SELECT k, ${asked.mkString(", ")} FROM ($stored)")
      assertEquals(sketches.size, kept.size)
      sketches.foreach { r =>
        windows.zipWithIndex.foreach { case (w, i) => checkCertified(w, i, r) }
      }
    }
  }

  private def check(w: RandomWindow, k: Long, answers: scala.collection.Seq[Long]): Unit = {
    val selected = selectedValues(k, w)
    if (answers == null) assert(selected.isEmpty, s"${w.ofRows}: NULL of ${selected.size}")
    else if (w.isPromised) {
      phis.zip(answers).foreach { case (phi, answer) =>
        val error = rankError(selected, phi, answer)
        assert(error <= epsilon * selected.size, s"${w.ofRows}, phi $phi: $error of ${selected.size}")
      }
    }
  }

  /** The rank error of an answer. It need not be one of the window's values, because an edge may be in doubt. */
  private def rankError(values: IndexedSeq[Long], phi: String, answer: Long): Int = {
    val rank = Exact.rank(phi, values.size)
    val below = values.count(_ < answer)
    val atMost = values.count(_ <= answer)
    math.max(0, math.max(below + 1 - rank, rank - atMost))
  }

  private def checkCertified(w: RandomWindow, i: Int, r: Row): Unit = {
    val selected = selectedValues(r.getLong(0), w)
    val n = r.getAs[Row](s"n$i")
    assert(
      n.getLong(0) <= selected.size && selected.size <= n.getLong(1),
      s"${w.ofSketch}: ${selected.size} in $n"
    )
    if (selected.nonEmpty) {
      val bounds = r.getAs[scala.collection.Seq[Row]](s"b$i")
      val error = r.getAs[Double](s"e$i")
      if (w.isPromised) assert(error <= epsilon, s"${w.ofSketch}: $error")
      phis.indices.foreach { p =>
        val truth = Exact.quantile(selected, phis(p))
        assert(
          bounds(p).getLong(0) <= truth && truth <= bounds(p).getLong(1),
          s"${w.ofSketch}, phi ${phis(p)}: $truth in ${bounds(p)}"
        )
        val answer = r.getAs[scala.collection.Seq[Long]](s"sq$i")(p)
        assert(
          error == 1 || rankError(selected, phis(p), answer) <= math.ceil(error * n.getLong(1)),
          s"${w.ofSketch}, phi ${phis(p)}: $answer"
        )
      }
    }
  }

  test("not all of the tested sketches are exact") {
    kept
    val error = one(s"SELECT sketch_rank_error(window_sketch_agg(v, t, $epsilon)) FROM windows")
    assert(error.asInstanceOf[Double] > 0, error.toString)
  }
}
