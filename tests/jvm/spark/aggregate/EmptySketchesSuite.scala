package chronosketch.spark.aggregate

import chronosketch.spark.SparkSuite

/** Sketches of one family, to be merged in this order as a group of rows. */
final case class Order(name: String, sketches: Seq[Array[Byte]])

/** Tests that an empty sketch is neutral in every union, whatever its type and parameters. */
class EmptySketchesSuite extends SparkSuite {
  private val time = "timestamp_seconds(id)"

  /** For each family: a sketch of a hundred rows, and empty sketches with other types or parameters. */
  private val families: Seq[(String, String, Seq[String])] = Seq(
    (
      "quantile",
      "quantile_sketch_agg(id, 0.01)",
      Seq(
        "quantile_sketch_agg(id, 0.2)",
        "quantile_sketch_agg(CAST(id AS DOUBLE))",
        s"quantile_sketch_agg($time, 0.001)"
      )
    ),
    (
      "ddsketch",
      "ddsketch_agg(id, 0.01)",
      Seq(
        "ddsketch_agg(id, 0.02)",
        "ddsketch_agg(CAST(id AS DECIMAL(12, 3)), 0.001)",
        "ddsketch_agg(CAST(id AS DOUBLE))"
      )
    ),
    (
      "moments",
      "moments_agg(id)",
      Seq("moments_agg(CAST(id AS DOUBLE))", "moments_agg(CAST(id AS DECIMAL(9, 2)))")
    ),
    (
      "comoments",
      "comoments_agg(2 * id, id)",
      Seq("comoments_agg(id, CAST(id AS DOUBLE))", "comoments_agg(CAST(id AS DECIMAL(9, 2)), id)")
    ),
    (
      "window",
      s"window_sketch_agg(id, $time, filters => map('odd', id % 2 = 1))",
      Seq(
        s"window_sketch_agg(id, $time)",
        "window_sketch_agg(id, id, 0.3)",
        s"window_sketch_agg($time, $time, retention => '1 hour')"
      )
    ),
    (
      "window with a retention",
      s"window_sketch_agg(id, $time, retention => '1 day')",
      Seq(s"window_sketch_agg(id, $time, retention => '1 second')", s"window_sketch_agg(id, $time)")
    ),
    (
      "window moments",
      s"window_moments_agg(id, $time)",
      Seq("window_moments_agg(id, id)", s"window_moments_agg(CAST(id AS DOUBLE), $time, 0.3)")
    ),
    (
      "window sample",
      s"window_sample_agg(id, $time, 30)",
      Seq("window_sample_agg(id, id, 10)", s"window_sample_agg($time, $time, 50)")
    ),
    (
      "qlove",
      s"qlove_sketch_agg(id, $time, array(0.5, 0.9), 4)",
      Seq(s"qlove_sketch_agg(id, $time, array(0.99), 4)", "qlove_sketch_agg(id, id, array(0.5, 0.9), 2)")
    ),
    (
      "history",
      "history_sketch_agg(id, id)",
      Seq("history_sketch_agg(id, id, epsilon => 0.3)", s"history_sketch_agg($time, DATE'2026-01-01')")
    ),
    (
      "reservoir sample",
      "sample_sketch_agg(id, 30)",
      Seq(
        "sample_sketch_agg(id, 10)",
        "sample_sketch_agg(id, 50, method => 'priority')",
        s"sample_sketch_agg($time, 20, method => 'bernoulli', seed => 7)"
      )
    ),
    (
      "priority sample",
      "sample_sketch_agg(id, 30, id => id)",
      Seq(
        "sample_sketch_agg(id, 10, id => id)",
        "sample_sketch_agg(id, 50)",
        "sample_sketch_agg(id, 50, method => 'bernoulli')"
      )
    ),
    (
      "restricted window",
      s"sketch_window(window_sketch_agg(id, $time), '50 seconds')",
      Seq(
        "sketch_window(window_sketch_agg(id, id, 0.3), 50)",
        s"sketch_window(window_sketch_agg($time, $time), '50 seconds')"
      )
    ),
    (
      "imported from KLL",
      "sketch_from_kll(kll_sketch_agg_bigint(id), 'bigint')",
      Seq("sketch_from_kll(kll_sketch_agg_double(CAST(id AS DOUBLE)), 'double')")
    )
  )

  private def built(sketches: Seq[String], rows: Int): Seq[Array[Byte]] =
    sql(s"SELECT ${sketches.mkString(", ")} FROM range(1, ${rows + 1})").head().toSeq
      .map(_.asInstanceOf[Array[Byte]])

  private def literal(bytes: Array[Byte]): String = bytes.map("%02x".format(_)).mkString("X'", "", "'")

  private lazy val sketches: Seq[(String, Array[Byte], Seq[Array[Byte]])] = families.map {
    case (name, whole, others) => (name, built(Seq(whole), 100).head, built(whole +: others, 0))
  }

  // building all sketches may take longer than a test may if the machine is busy
  override def beforeAll(): Unit = {
    super.beforeAll()
    expected
    ()
  }

  /** Empty sketches before, after and around a sketch with rows. */
  private lazy val neutral: Seq[Order] = sketches.flatMap { case (name, full, empty) =>
    Seq(
      Order(name, empty :+ full),
      Order(name, full +: empty),
      Order(name, empty ++ Seq(full) ++ empty.reverse)
    ) ++ empty.map(e => Order(name, Seq(e, full)))
  }

  /** Only empty sketches, in several orders. */
  private lazy val alone: Seq[Order] = sketches.flatMap { case (name, _, empty) =>
    empty.permutations.take(4).map(Order(name, _))
  }

  private def stored(orders: Seq[Order]): Unit = {
    val session = spark
    import session.implicits._
    (for {
      (order, g) <- orders.zipWithIndex
      (sketch, i) <- order.sketches.zipWithIndex
    } yield (g, i, sketch)).toDF("g", "i", "s").createOrReplaceTempView("stored_sketches")
  }

  private val over =
    "SELECT g, max_by(u, i) AS u FROM (SELECT g, i, sketch_merge_agg(s) OVER (PARTITION BY g ORDER BY i ROWS BETWEEN 20 PRECEDING AND CURRENT ROW) AS u FROM stored_sketches) GROUP BY g"
  private val aggregated = "SELECT g, sketch_merge_agg(s) AS u FROM stored_sketches GROUP BY g"
  private val hopping =
    "SELECT g, u FROM hopping_sketch(TABLE(SELECT g, s, timestamp_seconds(600 * i) AS ts FROM stored_sketches), event_time => 'ts', by => array('g'), size => '1 day', slide => '12 hours', aggs => array('sketch_merge_agg(s) AS u')) WHERE window.start = TIMESTAMP'1970-01-01 00:00:00Z'"

  /** Each operator that merges sketches, with its settings and its query. */
  private val operators: Seq[(String, Seq[(String, String)], String)] = Seq(
    ("GROUP BY", Nil, aggregated),
    (
      "GROUP BY of several partitions",
      Nil,
      aggregated.replace("SELECT g,", "SELECT /*+ REPARTITION(3) */ g,")
    ),
    ("Spark's operator", Seq("spark.chronosketch.aggregate.enabled" -> "false"), aggregated),
    ("OVER", Nil, over),
    ("OVER by DABA", Seq("spark.chronosketch.sliding.structure" -> "daba"), over),
    ("OVER in Spark's operator", Seq("spark.chronosketch.sliding.enabled" -> "false"), over),
    ("hopping windows", Nil, hopping)
  )

  private def described(query: String): Map[Int, String] =
    rows(s"SELECT g, to_json(sketch_describe(u)) AS d FROM ($query)").map(r =>
      r.getInt(0) -> r.getString(1)
    ).toMap

  private def describedMerges(orders: Seq[Order]): Map[Int, String] = {
    val session = spark
    import session.implicits._
    orders.map(_.sketches).zipWithIndex.toDF("s", "g").createOrReplaceTempView("sketch_lists")
    described(
      "SELECT g, aggregate(slice(s, 2, size(s)), s[0], (a, b) -> sketch_merge(a, b)) AS u FROM sketch_lists"
    )
  }

  private lazy val expected: Map[String, String] = {
    stored(sketches.map { case (name, full, _) => Order(name, Seq(full)) })
    described("SELECT g, s AS u FROM stored_sketches").map { case (g, text) => sketches(g)._1 -> text }
  }

  private def assertNeutral(answers: Map[Int, String]): Unit =
    neutral.zipWithIndex.foreach { case (order, g) =>
      assertEquals(answers.get(g), Some(expected(order.name)), s"${order.name}, order $g")
    }

  private def assertOneOfThem(answers: Map[Int, String]): Unit =
    alone.zipWithIndex.groupBy(_._1.name).foreach { case (name, orders) =>
      val chosen = orders.map { case (_, g) => answers(g) }.toSet
      assertEquals(chosen.size, 1, s"$name: ${chosen.mkString("; ")}")
    }

  operators.foreach { case (operator, conf, query) =>
    test(s"an empty sketch is neutral in any position, and merging empty ones gives one of them: $operator") {
      withConf(conf: _*) {
        stored(neutral)
        assertNeutral(described(query))
        stored(alone)
        assertOneOfThem(described(query))
      }
    }
  }

  test("an empty sketch is neutral in any position, and merging empty ones gives one of them: sketch_merge") {
    assertNeutral(describedMerges(neutral))
    assertOneOfThem(describedMerges(alone))
  }

  test("sketches of two families are not merged, even if they are empty") {
    val quantile = built(Seq("quantile_sketch_agg(id)"), 0).head
    val moments = built(Seq("moments_agg(id)"), 5).head
    Seq(Seq(quantile, moments), Seq(moments, quantile)).foreach { two =>
      assertEquals(
        refusal(s"SELECT ${two.map(literal).mkString("sketch_merge(", ", ", ")")}").getCondition,
        "CHRONOSKETCH_FAMILIES_DIFFER"
      )
    }
  }
}
