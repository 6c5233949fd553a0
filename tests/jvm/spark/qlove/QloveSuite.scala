package chronosketch.spark.qlove

import org.apache.spark.sql.Row

import chronosketch.domain.Domain
import chronosketch.qlove.{Pane, QloveSketch, Query}
import chronosketch.rank.Phi
import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.sliding.SlidingConf
import chronosketch.spark.{Exact, SparkSuite}
import chronosketch.summary.Envelope

/** Builds, merges and queries panes, in our operators and in Spark's, and compares them with the core's panes of the same rows. */
class QloveSuite extends SparkSuite {
  private val operators = Seq("our" -> Nil, "Spark's own" -> Seq(AggregateConf.Enabled -> "false"))
  private val phis = Seq("0.5", "0.9", "0.99", "0.999")
  private val named = phis.mkString("array(", ", ", ")")
  private val panes = 12
  private val perPane = 500

  private def value(id: Long): Long = (id * 7919) % 10007 * (if (id % 97 == 0) 40 else 1)

  private lazy val latencies: Unit = {
    spark
      .range(0, panes.toLong * perPane, 1, 3)
      .selectExpr(
        "id",
        s"id DIV $perPane AS pane",
        "timestamp_seconds(id) AS t",
        "pmod(id * 7919, 10007) * IF(id % 97 = 0, 40, 1) AS v"
      )
      .createOrReplaceTempView("latencies")
  }

  private def built(budget: String = ""): String =
    s"SELECT pane, qlove_sketch_agg(v, id, $named, 8$budget) AS s FROM latencies GROUP BY pane"

  private def idsOf(pane: Int): Seq[Long] = (0 until perPane).map(i => pane.toLong * perPane + i)

  private def core(pane: Int, budget: Option[Int]): QloveSketch = {
    val query = Query(phis.map(p => Phi(new java.math.BigDecimal(p))), 8, budget)
    val open = new Pane(Domain.BigInt, Domain.BigInt, query)
    idsOf(pane).foreach(id => open.insert(value(id), id, 0))
    open.finish()
  }

  private def coreWindow(from: Int, to: Int, budget: Option[Int]): QloveSketch =
    (from to to).map(core(_, budget)).reduceLeft { (all, next) => all.merge(next); all }

  private def bytes(sketch: Any): Seq[Byte] = sketch.asInstanceOf[Array[Byte]].toSeq

  for ((operator, conf) <- operators) {
    test(s"panes equal the core's to the byte, and their quantiles are exact; $operator operator") {
      latencies
      withConf(conf: _*) {
        for ((budget, kept) <- Seq("" -> None, ", 0" -> Some(0), ", budget => 40" -> Some(40))) {
          val stored = rows(s"SELECT pane, s, sketch_quantile(s, $named, 'bigint') FROM (${built(budget)})")
          assertEquals(stored.size, panes)
          stored.foreach { r =>
            val pane = r.getLong(0).toInt
            assertEquals(bytes(r.get(1)), Envelope.seal(core(pane, kept)).toSeq)
            val sorted = idsOf(pane).map(value).sorted.toIndexedSeq
            assertEquals(r.getSeq[Long](2).toSeq, phis.map(Exact.quantile(sorted, _)))
          }
        }
      }
    }

    test(s"merged panes answer as the core's windows, in any order; $operator operator") {
      latencies
      withConf(conf: _*) {
        for ((budget, kept) <- Seq("" -> None, ", 0" -> Some(0), ", 40" -> Some(40))) {
          val answers = one(
            s"""SELECT sketch_quantile(sketch_merge_agg(s), $named) FROM
               |(SELECT * FROM (${built(budget)}) WHERE pane < 8 ORDER BY hash(pane))""".stripMargin
          ).asInstanceOf[scala.collection.Seq[Double]].toSeq
          assertEquals(answers, coreWindow(0, 7, kept).answers.map(_.estimate.value))
          // the mean of the panes' medians, computed directly
          val medians = (0 until 8).map(p => Exact.quantile(idsOf(p).map(value).sorted.toIndexedSeq, "0.5"))
          assertEquals(answers.head, medians.sum / 8.0)
        }
        val pairwise = one(
          s"SELECT sketch_merge(b.s, a.s) FROM (${built()}) a JOIN (${built()}) b ON a.pane = 3 AND b.pane = 4"
        )
        assertEquals(bytes(pairwise), Envelope.seal(coreWindow(3, 4, None)).toSeq)
      }
    }

    test(s"panes of time windows; $operator operator") {
      latencies
      withConf(conf: _*) {
        val answers = rows(
          s"""SELECT w.start, sketch_quantile(s, 0.99, 'bigint'), sketch_count(s) FROM
             |(SELECT window(t, '500 seconds') AS w, qlove_sketch_agg(v, t, $named, 8) AS s FROM latencies GROUP BY 1) ORDER BY 1""".stripMargin
        )
        assertEquals(
          answers.map(r => (r.getLong(1), r.getLong(2))),
          (0 until panes).map(p =>
            (Exact.quantile(idsOf(p).map(value).sorted.toIndexedSeq, "0.99"), perPane.toLong)
          )
        )
      }
    }

    test(s"no rows, NULLs, FILTER and NaN; $operator operator") {
      withConf(conf: _*) {
        assertEquals(one("SELECT sketch_count(qlove_sketch_agg(id, id, 0.5, 8)) FROM range(0)"), 0L)
        assertEquals(
          one("SELECT sketch_quantile(qlove_sketch_agg(id, id, 0.5, 8), 0.5) FROM range(0)"),
          null
        )
        assertEquals(
          one(
            "SELECT sketch_quantile(qlove_sketch_agg(id, id, array(0.5, 1), 8), array(1, 0.5)) FROM range(0)"
          ),
          null
        )
        Seq("NULL, id", "id, NULL", "IF(id < 0, id, NULL), id", "id, IF(id < 0, id, NULL)").foreach { of =>
          assertEquals(
            rows(
              s"SELECT id % 2, sketch_count(qlove_sketch_agg($of, 0.5, 8)) FROM range(9) GROUP BY 1 ORDER BY 1"
            ),
            Seq(Row(0L, 0L), Row(1L, 0L)),
            of
          )
        }
        assertEquals(
          one(
            "SELECT sketch_quantile(qlove_sketch_agg(IF(id % 3 = 0, NULL, id), id, array(0, 1), 8) FILTER (WHERE id > 10), array(0, 1, NULL)) FROM range(0, 30, 1, 3)"
          ),
          Seq[Any](11.0, 29.0, null): Any
        )
        // an empty pane does not count as one of the window's panes
        assertEquals(
          one(
            "SELECT sketch_quantile(sketch_merge_agg(s), 0.5) FROM (SELECT qlove_sketch_agg(IF(id < 20, id, NULL), id, 0.5, 2) AS s FROM range(40) GROUP BY id DIV 10)"
          ),
          9.0
        )
        val special =
          "VALUES (double('-Infinity'), 1L), (-0.0D, 2L), (double('Infinity'), 3L), (double('NaN'), 4L) AS r(v, t)"
        val q = one(
          s"SELECT sketch_quantile(qlove_sketch_agg(v, t, array(0, 0.5, 0.75, 1), 1), array(0, 0.5, 0.75, 1)) FROM $special"
        ).asInstanceOf[scala.collection.Seq[Double]].toSeq
        assertEquals(q.take(3), Seq(Double.NegativeInfinity, 0.0, Double.PositiveInfinity))
        assert(q(3).isNaN)
        val extreme = "VALUES (-9223372036854775808L), (9223372036854775807L) AS r(v)"
        assertEquals(
          one(
            s"SELECT sketch_quantile(qlove_sketch_agg(v, v, array(0, 1), 1), array(0, 1), 'bigint') FROM $extreme"
          ),
          Seq(Long.MinValue, Long.MaxValue): Any
        )
      }
    }
  }

  for (
    (timeType, time) <- Seq(
      "TINYINT" -> "id",
      "INT" -> "id",
      "DATE" -> "date_add(DATE'2026-01-01', CAST(id AS INT))",
      "TIMESTAMP" -> "timestamp_seconds(id)",
      "TIMESTAMP_NTZ" -> "TIMESTAMP_NTZ'2026-01-01 00:00:00' + id * INTERVAL '1' DAY"
    )
  ) test(s"times of type $timeType") {
    val stored =
      s"SELECT qlove_sketch_agg(id, CAST($time AS $timeType), 0.5, 4) AS s FROM range(100) GROUP BY id DIV 25"
    assertEquals(
      rows(
        s"SELECT d.time_type, d.panes, d.count FROM (SELECT sketch_describe(sketch_merge_agg(s)) AS d FROM ($stored))"
      ),
      Seq(Row(timeType, 4, 100L))
    )
  }

  test("a mean can be queried as other types") {
    // the mean of the medians 1 and 2 is 1.5
    val s =
      "(SELECT sketch_merge_agg(s) AS s FROM (SELECT qlove_sketch_agg(id, id, 0.5, 2) AS s FROM range(1, 3) GROUP BY id))"
    assertEquals(
      rows(
        s"SELECT sketch_quantile(s, 0.5), sketch_quantile(s, 0.5, 'decimal(5,2)'), sketch_quantile(s, 0.5, 'int'), sketch_quantile(s, 0.5, 'float') FROM $s"
      ),
      Seq(Row(1.5, new java.math.BigDecimal("1.50"), 2, 1.5f))
    )
    assertEquals(
      refusal(s"SELECT sketch_quantile(s, 0.5, 'date') FROM $s").getCondition,
      "CHRONOSKETCH_VALUE_NOT_CONVERTIBLE"
    )
  }

  private val frames = Seq(
    "ROWS 7 PRECEDING" -> ((p: Int) => math.max(0, p - 7) to p),
    "ROWS BETWEEN 2 PRECEDING AND 3 FOLLOWING" -> ((p: Int) => math.max(0, p - 2) to math.min(11, p + 3)),
    "RANGE BETWEEN 4 PRECEDING AND CURRENT ROW" -> ((p: Int) => math.max(0, p - 4) to p)
  )

  for ((frame, meant) <- frames) test(s"panes OVER $frame equal the core's windows, with every structure") {
    latencies
    def assertWindows(slides: Boolean): Unit = {
      val query = s"SELECT pane, sketch_merge_agg(s) OVER (ORDER BY pane $frame) AS s FROM (${built()})"
      val plan = sql(s"EXPLAIN $query").head().getString(0)
      assertEquals(plan.contains("SketchWindow"), slides, plan)
      val windows = rows(query)
      assertEquals(windows.size, panes)
      windows.foreach { r =>
        val merged = meant(r.getLong(0).toInt)
        assertEquals(bytes(r.get(1)), Envelope.seal(coreWindow(merged.head, merged.last, None)).toSeq)
      }
    }
    assertWindows(slides = true)
    withConf(SlidingConf.Structure -> "daba")(assertWindows(slides = true))
    withConf(SlidingConf.Enabled -> "false")(assertWindows(slides = false))
  }

  test("a pane can be built OVER a frame of rows; each row finishes it again") {
    val query =
      "SELECT id, sketch_quantile(qlove_sketch_agg(id, id, 0.5, 1) OVER (ORDER BY id ROWS 4 PRECEDING), 0.5, 'bigint') AS q FROM range(9)"
    assertEquals(rows(query).map(_.getLong(1)), (0L until 9L).map(i => (math.max(0L, i - 4) + i) / 2))
  }

  test("a description says by which method each phi is answered, and why") {
    latencies
    val window = s"(SELECT sketch_merge_agg(s) AS s FROM (${built()}) WHERE pane < 8)"
    val d = rows(
      s"SELECT d.family, d.value_type, d.parameters, d.count, d.error, d.exact, d.time_type, d.panes FROM (SELECT sketch_describe(s) AS d FROM $window)"
    )
    assertEquals(
      d,
      Seq(Row("qlove sketch", "BIGINT", Map("panes" -> 8.0), 8L * perPane, null, null, "BIGINT", 8))
    )
    val expected = coreWindow(0, 7, None)
    val answers = rows(s"SELECT inline(sketch_describe(s).answers) FROM $window")
    assertEquals(answers.map(_.getString(1)), Seq("mean", "mean", "few-k", "few-k"))
    answers.zip(expected.answers).foreach { case (r, a) =>
      val bursty = expected.isBursty(a.phi).fold(null: Any)(b => b)
      assertEquals(
        r,
        Row(
          a.phi.decimal.doubleValue,
          a.method.name,
          a.reason.text,
          a.need,
          a.reached,
          bursty,
          expected.bound(a.phi)
        )
      )
    }
    assertEquals(
      rows(
        "SELECT inline(d.answers) FROM (SELECT sketch_describe(qlove_sketch_agg(id, id, array(0.9, 0.5), 8, 3)) AS d FROM range(0))"
      ),
      Seq(0.5, 0.9).map(Row(_, null, null, null, null, null, null))
    )
    assertEquals(
      one("SELECT sketch_describe(qlove_sketch_agg(id, id, 0.5, 8, 3)).parameters FROM range(9)"),
      Map("panes" -> 8.0, "budget" -> 3.0): Any
    )
  }

  test("panes refuse ranks, shares, minimum, maximum and bounds, but know their count") {
    latencies
    val s = s"(SELECT s FROM (${built()}) WHERE pane = 3)"
    Seq(
      "sketch_quantile_bounds(s, 0.5)",
      "sketch_rank(s, 1)",
      "sketch_rank_bounds(s, 1)",
      "sketch_cdf(s, array(1))",
      "sketch_cdf_bounds(s, 1)",
      "sketch_pmf(s, array(1))",
      "sketch_min(s)",
      "sketch_max(s)",
      "sketch_rank_error(s)",
      "sketch_window(s, 10)"
    ).foreach { call =>
      assertEquals(
        refusal(s"SELECT $call FROM $s").getCondition,
        "CHRONOSKETCH_QUESTION_NOT_ANSWERED",
        call
      )
    }
    val n = perPane.toLong
    assertEquals(
      rows(s"SELECT sketch_count(s), sketch_count_bounds(s), is_sketch(s) FROM $s"),
      Seq(Row(n, Row(n, n), true))
    )
  }

  test("the message about overlapping panes shows their times") {
    val e = refusal(
      "SELECT sketch_merge_agg(s) FROM (SELECT qlove_sketch_agg(id, date_add(DATE'2026-01-01', CAST(id AS INT)), 0.5, 8) AS s FROM range(10) GROUP BY id % 2)"
    )
    assertEquals(e.getCondition, "CHRONOSKETCH_PANES_OVERLAP")
    val text = e.asInstanceOf[Throwable].getMessage
    assert(text.contains("from 2026-01-01 to 2026-01-09"), text)
    assert(text.contains("from 2026-01-02 to 2026-01-10"), text)
  }

  test("sketches with filters slide by DABA, too") {
    val query =
      """SELECT p, sketch_count(sketch_window(sketch_merge_agg(s) OVER (ORDER BY p ROWS 2 PRECEDING), passing('odd'))) AS n FROM
        |(SELECT id DIV 10 AS p, window_sketch_agg(id, id, filters => map('odd', id % 2 = 1)) AS s FROM range(50) GROUP BY 1)
        |ORDER BY p""".stripMargin
    withConf(SlidingConf.Structure -> "daba") {
      assertEquals(rows(query).map(_.getLong(1)), Seq(5L, 10L, 15L, 15L, 15L))
    }
  }
}
