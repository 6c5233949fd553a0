package chronosketch.spark.aggregate.operator

import org.apache.spark.SparkThrowable
import org.apache.spark.sql.Row

import chronosketch.Cases
import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.sliding.SlidingConf
import chronosketch.spark.table.SqlFunction
import chronosketch.spark.{Exact, FunctionTable, TestLog}

/** Tests that aggregates with a tail keep its promise in every group, in both operators, and after merging stored sketches. */
class TailAggregatesSuite extends OperatorSuite {
  private val epsilon = 0.05
  private val phis = Seq("0", "0.001", "0.01", "0.25", "0.5", "0.75", "0.99", "0.999", "0.9999", "1")
  private val asked = phis.mkString("array(", ", ", ")")
  private val tails = Seq("high", "low", "both")

  private def view(name: String, rows: Int, key: String, partitions: Int = 3): Unit =
    spark.range(0, rows.toLong, 1, partitions).selectExpr(
      "id",
      s"$key AS k",
      s"IF(id % 11 = 5, NULL, CAST(exp(3 * randn(4)) * 1000 AS BIGINT)) AS v"
    ).localCheckpoint().createOrReplaceTempView(name)

  private def valuesOf(view: String): Map[Any, IndexedSeq[Long]] =
    rows(s"SELECT k, v FROM $view WHERE v IS NOT NULL").groupMap(_.get(0))(_.getLong(1)).map {
      case (k, v) => k -> v.sorted.toIndexedSeq
    }

  /** How many ranks an answer may be off. */
  private def allowed(tail: String, phi: String, n: Int): Double = {
    val rank = Exact.rank(phi, n)
    epsilon * (tail match {
      case "high" => n - rank + 1
      case "low" => rank
      case _ => math.min(rank, n - rank + 1)
    })
  }

  /** Asserts that the answers and the bounds of a group keep the promise. */
  private def assertKept(tail: String, sorted: IndexedSeq[Long], answers: Seq[Long], bounds: Seq[Row]): Unit =
    phis.zip(answers).zip(bounds).foreach { case ((phi, answer), bound) =>
      val truth = Exact.quantile(sorted, phi)
      val error = Exact.rankError(sorted, phi, answer)
      assert(error <= allowed(tail, phi, sorted.size), s"$tail, phi $phi of ${sorted.size}: $error ranks off")
      assert(bound.getLong(0) <= truth && truth <= bound.getLong(1), s"$tail, phi $phi: $truth in $bound")
    }

  private def calls(tail: String): Seq[String] = Seq(
    s"approx_quantile(v, $asked, $epsilon, tail => '$tail') AS q",
    s"approx_quantile_bounds(v, $asked, $epsilon, NULL, 'nearest', '$tail') AS b",
    s"quantile_sketch_agg(v, $epsilon, NULL, '$tail') AS s"
  )

  private def questions(sketch: String): String =
    s"sketch_quantile($sketch, $asked, 'bigint') AS sq, sketch_quantile_bounds($sketch, $asked, 'bigint') AS sb"

  private def check(tail: String, query: String, values: Map[Any, IndexedSeq[Long]]): Unit = {
    val answers = rows(query)
    assertEquals(answers.map(_.get(0)).toSet, values.keySet)
    answers.foreach { row =>
      val sorted = values(row.get(0))
      def field[A](name: String): Seq[A] = row.getSeq[A](row.fieldIndex(name))
      if (row.schema.fieldNames.contains("q")) assertKept(tail, sorted, field("q"), field("b"))
      assertKept(tail, sorted, field("sq"), field("sb"))
      assertEquals(row.getAs[Long]("n"), sorted.size.toLong)
    }
  }

  private val settings = Seq(
    "our operator" -> Nil,
    "our operator, not compiled" -> OperatorSuite.notCompiled,
    "Spark's operator" -> Seq(AggregateConf.Enabled -> "false"),
    "Spark's operator, sorting from the second key" -> Seq(
      AggregateConf.Enabled -> "false",
      "spark.sql.objectHashAggregate.sortBased.fallbackThreshold" -> "1"
    )
  )

  for ((name, conf) <- settings)
    test(s"the error falls towards the tail in groups of very different sizes: $name") {
      view("tailed", 60000, "CAST(floor(pow(id % 343, 1D / 3)) AS INT)")
      val values = valuesOf("tailed")
      assert(values.size == 7 && values.values.map(_.size).min < 1000, values.view.mapValues(_.size).toMap)
      withConf(conf: _*)(tails.foreach { tail =>
        val built = s"SELECT k, ${calls(tail).mkString(", ")} FROM tailed GROUP BY k"
        check(tail, s"SELECT *, ${questions("s")}, sketch_count(s) AS n FROM ($built)", values)
      })
    }

  for ((name, conf) <- Cases.some(2, settings))
    test(s"stored sketches are merged, level by level: $name") {
      view("tailed", 60000, "CAST(id % 2 AS INT)")
      val values = valuesOf("tailed")
      withConf(conf: _*)(tails.foreach { tail =>
        val days =
          s"SELECT k, id % 96 AS day, quantile_sketch_agg(v, $epsilon, tail => '$tail') AS s FROM tailed GROUP BY 1, 2"
        val weeks = s"SELECT k, day % 12 AS week, sketch_merge_agg(s) AS s FROM ($days) GROUP BY 1, 2"
        val years = s"SELECT k, sketch_merge_agg(s) AS s FROM ($weeks) GROUP BY 1"
        check(tail, s"SELECT k, ${questions("s")}, sketch_count(s) AS n FROM ($years)", values)
        val two =
          s"SELECT max(IF(k = 0, s, NULL)) AS a, max(IF(k = 1, s, NULL)) AS b FROM ($years)"
        assertEquals(
          one(s"SELECT sketch_describe(sketch_merge(a, b)).family FROM ($two)"),
          s"quantile sketch with tail => '$tail'"
        )
      })
    }

  test("groups that are flushed early and spilled keep the promise") {
    view("spilled", 400000, "CAST(id % 4000 AS INT)", partitions = 2)
    val values = valuesOf("spilled")
    withConf("spark.sql.shuffle.partitions" -> "1") {
      val built = s"SELECT k, ${calls("high").mkString(", ")} FROM spilled GROUP BY k"
      val scarce = new ScarceMemory(2L << 20)
      val answers =
        try {
          val query = sql(built)
          val collected = query.collect()
          assert(
            operators(query).exists(o => o.isFinal && o.metrics("spillSize").value > 0),
            "nothing was spilled"
          )
          collected
        } finally scarce.close()
      assertEquals(answers.length, values.size)
      answers.foreach(row => assertKept("high", values(row.get(0)), row.getSeq[Long](1), row.getSeq[Row](2)))
    }
  }

  test(
    "the default operator gives the bytes of Spark's for exact groups, and NULL and empty input are as without a tail"
  ) {
    view("few", 900, "CAST(id % 3 AS INT)")
    assertSame("SELECT k, quantile_sketch_agg(v, 0.001, tail => 'both') FROM few GROUP BY k")
    val nothing =
      "approx_quantile(v, 0.5, tail => 'high'), approx_quantile_bounds(v, 0.5, tail => 'low'), sketch_count(quantile_sketch_agg(v, tail => 'both'))"
    for (where <- Seq("v IS NULL", "false"))
      assertEquals(rows(s"SELECT $nothing FROM few WHERE $where"), Seq(Row(null, null, 0L)))
    assertEquals(rows(s"SELECT $nothing FROM few WHERE false GROUP BY k"), Nil)
  }

  test("NaN is the greatest value, and frequencies count copies") {
    val nan = "(VALUES (double('NaN'), 2), (1D, 5), (double('Infinity'), 1), (-0.0D, 0)) AS t(v, n)"
    assertEquals(
      one(s"SELECT CAST(approx_quantile(v, array(0, 0.7, 1), 0.1, n, tail => 'high') AS STRING) FROM $nan"),
      "[1.0, Infinity, NaN]"
    )
    view("weighted", 30000, "CAST(id % 4 AS INT)")
    val values = rows(
      "SELECT k, v, id % 5 AS n FROM weighted WHERE v IS NOT NULL"
    ).flatMap(r => Seq.fill(r.getLong(2).toInt)(r.getInt(0) -> r.getLong(1))).groupMap(_._1)(_._2).map {
      case (k, v) => (k: Any) -> v.sorted.toIndexedSeq
    }
    val built =
      s"SELECT k, quantile_sketch_agg(v, $epsilon, id % 5, tail => 'high') AS s FROM weighted GROUP BY k"
    check("high", s"SELECT k, ${questions("s")}, sketch_count(s) AS n FROM ($built)", values)
  }

  test("calls with one tail share a sketch; EXPLAIN and the text of a call show the tail") {
    view("few", 900, "CAST(id % 3 AS INT)")
    val query =
      sql(
        "SELECT approx_quantile(v, 0.5, 0.01, tail => 'HIGH'), approx_quantile_bounds(v, 0.9, 0.01, tail => 'high'), approx_quantile(v, 0.5, 0.01), approx_quantile(0.1, tail => 'low') WITHIN GROUP (ORDER BY v DESC) FROM few"
      )
    assertEquals(
      query.columns.toSeq,
      Seq(
        "approx_quantile(v, 0.5, 0.01, tail => HIGH)",
        "approx_quantile_bounds(v, 0.9, 0.01, tail => high)",
        "approx_quantile(v, 0.5, 0.01)",
        "approx_quantile(0.1, tail => low) WITHIN GROUP (ORDER BY v DESC)"
      )
    )
    query.collect()
    val text = operators(query).map(_.toString).mkString("\n")
    val sketches = Seq("high" -> 0.01, "low" -> 1e-4).map { case (tail, e) =>
      s" with tail => '$tail'(epsilon=$e)"
    }
    (sketches :+ "(epsilon=0.01)").foreach(s => assert(text.contains(s"quantile sketch$s OF sketch"), text))
    assertEquals(" OF sketch#".r.findAllIn(text).size, 3, text)
  }

  test("a stored sketch answers every question, as one without a tail does") {
    val asked = Map(
      "phi" -> "0.29",
      "value" -> "50L",
      "points" -> "array(10L, 50L)",
      "window" -> "5",
      "version" -> "50",
      "moment" -> "'sum'",
      "type" -> "'int'"
    )
    spark.range(1, 101).selectExpr(
      "quantile_sketch_agg(id, tail => 'both') AS ours",
      "quantile_sketch_agg(id) AS plain"
    ).createOrReplaceTempView("sketches")
    def answer(function: String, arguments: Seq[String])(sketch: String): String =
      TestLog.expectingFailure {
        scala.util.Try(one(s"SELECT $function(${(sketch +: arguments).mkString(", ")}) FROM sketches"))
      }.fold(_.asInstanceOf[SparkThrowable].getCondition, OperatorSuite.text(_))
    val questions = FunctionTable.all.filter(f =>
      f.group == SqlFunction.Scalars && f.arguments.headOption.exists(_.name == "sketch")
    ).filterNot(f => Set("sketch_describe", "sketch_cast")(f.name))
    assert(questions.size > 20, questions.map(_.name))
    questions.foreach { f =>
      val each = answer(f.name, f.arguments.tail.filter(_.default.isEmpty).map(a => asked(a.name))) _
      assertEquals(each("ours"), each("plain"), f.name)
    }
    assertEquals(
      rows(
        "SELECT d.family, d.parameters, d.error, d.exact, sketch_max(sketch_cast(ours, 'double')) FROM (SELECT sketch_describe(ours) AS d, ours FROM sketches)"
      ),
      Seq(Row("quantile sketch with tail => 'both'", Map("epsilon" -> 0.001), 0.0, true, 100.0))
    )
  }

  test(
    "a frame keeps the promise: it is answered exactly, and a structure with one error for all ranks is not used"
  ) {
    view("framed", 4000, "CAST(id % 2 AS INT)")
    val over = "OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 999 PRECEDING AND CURRENT ROW)"
    def asked(tail: String) = s"approx_quantile(v, array(0.5, 0.99, 0.999), 0.05$tail) $over"
    withConf(SlidingConf.ExactFrameRows -> "100") {
      val structures = Seq("auto", "arasu_manku", "block_sort")
      val all = structures.map(s =>
        withConf(SlidingConf.Structure -> s)(rows(s"SELECT id, ${asked(", tail => 'high'")} FROM framed"))
      )
      val exact =
        withConf(SlidingConf.Structure -> "block_sort")(rows(s"SELECT id, ${asked("")} FROM framed"))
      all.foreach(answers => assertEquals(answers.toSet, exact.toSet))
      val plan = withConf(SlidingConf.Structure -> "arasu_manku")(
        sql(s"EXPLAIN FORMATTED SELECT ${asked(", tail => 'high'")} FROM framed").head().getString(0)
      )
      assert(plan.contains("arasu_manku: its error does not fall towards a tail"), plan)
    }
    val merged =
      s"SELECT sketch_describe(sketch_merge_agg(s) OVER (ORDER BY d ROWS 20 PRECEDING)).family AS f, sketch_describe(s).family AS g FROM (SELECT id DIV 40 AS d, quantile_sketch_agg(v, 0.05, tail => 'low') AS s FROM framed GROUP BY 1)"
    assertEquals(
      rows(merged).toSet,
      Set(Row("quantile sketch with tail => 'low'", "quantile sketch with tail => 'low'"))
    )
  }

  test("hopping windows keep the promise, by hopping_sketch and by the rewrite") {
    spark.range(0, 40000, 1, 2).selectExpr(
      "timestamp_seconds(id DIV 20) AS ts",
      "CAST(id % 2 AS INT) AS k",
      "CAST(exp(3 * randn(4)) * 1000 AS BIGINT) AS v"
    ).localCheckpoint().createOrReplaceTempView("hopped")
    val values = rows(
      "SELECT concat(w.start, ' ', k), v FROM (SELECT k, v, window(ts, '20 minutes', '5 minutes') AS w FROM hopped)"
    ).groupMap(_.get(0))(_.getLong(1)).map { case (k, v) => k -> v.sorted.toIndexedSeq }
    val texts = calls("high").map(f => s"\"$f\"").mkString("array(", ", ", ")")
    val byFunction =
      s"SELECT * FROM hopping_sketch(TABLE(SELECT * FROM hopped), event_time => 'ts', size => '20 minutes', slide => '5 minutes', by => array('k'), aggs => $texts)"
    val byRewrite =
      s"SELECT window(ts, '20 minutes', '5 minutes') AS window, k, ${calls("high").mkString(", ")} FROM hopped GROUP BY 1, 2"
    for (windows <- Seq(byFunction, byRewrite))
      check(
        "high",
        s"SELECT concat(window.start, ' ', k) AS at, q, b, ${questions("s")}, sketch_count(s) AS n FROM ($windows)",
        values
      )
  }

  test("sketches of other families are refused by name") {
    view("few", 900, "CAST(id % 3 AS INT)")
    val mixed =
      "SELECT sketch_merge_agg(s) FROM (SELECT IF(k = 0, quantile_sketch_agg(v, tail => 'high'), quantile_sketch_agg(v, tail => 'both')) AS s FROM few GROUP BY k)"
    val refused = assertSameRefusal(mixed)
    assertEquals(refused.getCondition, "CHRONOSKETCH_FAMILIES_DIFFER")
    assertEquals(
      refused.getMessageParameters.values.toArray.toSet,
      Set[Any](
        "quantile sketch with tail => 'high'",
        "quantile sketch with tail => 'both'",
        "sketch_merge_agg",
        "s"
      )
    )
  }
}
