package chronosketch.spark.ddsketch

import java.math.BigDecimal

import org.apache.spark.sql.Row

import chronosketch.ddsketch.DDSketchRecipe
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.sliding.SlidingConf
import chronosketch.spark.{Exact, SparkSuite}
import chronosketch.summary.Envelope

/** Tests ddsketches in our operators and in Spark's: the bytes equal the core's, and answers are within alpha of the exact ones. */
class DDSketchSuite extends SparkSuite {
  private val operators = Seq("our" -> Nil, "Spark's own" -> Seq(AggregateConf.Enabled -> "false"))
  private val phis = Seq("0", "0.01", "0.25", "0.5", "0.9", "0.99", "0.999", "1")
  private val asked = phis.mkString("array(", ", ", ")")

  private def bytes(sketch: Any): Seq[Byte] = sketch.asInstanceOf[Array[Byte]].toSeq
  private def doubles(array: Any): Seq[Double] = array.asInstanceOf[scala.collection.Seq[Double]].toSeq

  private def value(id: Long): Double = math.pow((id * 7919 % 10007).toDouble, 3) / 1000 - 1000

  private lazy val latencies: Unit =
    spark
      .range(0, 6000, 1, 3)
      .selectExpr("id", "id % 3 AS k", "pow(pmod(id * 7919, 10007), 3) / 1000 - 1000 AS v")
      .createOrReplaceTempView("numbers")

  private def core(alpha: Double, values: Seq[Double]): Seq[Byte] = {
    val s = DDSketchRecipe(Domain.Double, alpha).empty
    values.foreach(v => s.insert(DoubleKeys.key(v)))
    Envelope.seal(s).toSeq
  }

  private def within(alpha: Double, exact: Double, answer: Double): Unit =
    assert(
      new BigDecimal(answer).subtract(new BigDecimal(exact)).abs.compareTo(
        new BigDecimal(exact).abs.multiply(new BigDecimal(alpha))
      ) <= 0,
      s"$answer for $exact"
    )

  for ((operator, conf) <- operators) {
    test(s"groups have the core's bytes, and answers within alpha; $operator operator") {
      latencies
      withConf(conf: _*) {
        for ((argument, alpha) <- Seq("" -> 0.01, ", 0.001" -> 0.001, ", alpha => 0.2D" -> 0.2)) {
          val groups = rows(
            s"""SELECT k, s, sketch_quantile(s, $asked), sketch_quantile_bounds(s, $asked), sketch_count(s), sketch_min(s),
               |sketch_max(s) FROM (SELECT k, ddsketch_agg(v$argument) AS s FROM numbers GROUP BY k)""".stripMargin
          )
          assertEquals(groups.size, 3)
          groups.foreach { r =>
            val inserted = (0L until 6000L).filter(_ % 3 == r.getLong(0)).map(value)
            val sorted = inserted.sorted
            assertEquals(bytes(r.get(1)), core(alpha, inserted))
            val bounds = r.getSeq[Row](3)
            phis.zip(r.getSeq[Double](2)).zip(bounds).foreach { case ((phi, answer), b) =>
              val exact = Exact.quantile(sorted, phi)
              within(alpha, exact, answer)
              assert(b.getDouble(0) <= exact && exact <= b.getDouble(1), s"$exact in $b")
            }
            assertEquals(
              (r.getLong(4), r.getDouble(5), r.getDouble(6)),
              (2000L, sorted.head, sorted.last)
            )
          }
        }
      }
    }

    test(s"merged sketches equal the sketch of all rows, in any order; $operator operator") {
      latencies
      withConf(conf: _*) {
        val all = core(0.01, (0L until 6000L).map(value))
        val parts = "SELECT id % 50 AS p, ddsketch_agg(v) AS s FROM numbers GROUP BY 1"
        assertEquals(bytes(one(s"SELECT sketch_merge_agg(s) FROM ($parts)")), all)
        assertEquals(
          bytes(one(s"SELECT sketch_merge_agg(s) FROM (SELECT * FROM ($parts) ORDER BY hash(p))")),
          all
        )
        assertEquals(bytes(one("SELECT ddsketch_agg(v) FROM (SELECT v FROM numbers ORDER BY v)")), all)
        val two =
          s"(SELECT sketch_merge_agg(s) FILTER (WHERE p < 20) AS a, sketch_merge_agg(s) FILTER (WHERE p >= 20) AS b FROM ($parts))"
        assertEquals(bytes(one(s"SELECT sketch_merge(b, a) FROM $two")), all)
      }
    }

    test(s"no rows, NULLs, FILTER, frequency and values with bins of their own; $operator operator") {
      withConf(conf: _*) {
        assertEquals(
          rows(
            "SELECT sketch_count(s), sketch_quantile(s, 0.5), sketch_max(s), sketch_describe(s).exact FROM (SELECT ddsketch_agg(id) AS s FROM range(0))"
          ),
          Seq(Row(0L, null, null, true))
        )
        assertEquals(
          rows(
            "SELECT id % 2, sketch_count(ddsketch_agg(IF(id < 5, NULL, id)) FILTER (WHERE id <> 8)) FROM range(10) GROUP BY 1 ORDER BY 1"
          ),
          Seq(Row(0L, 1L), Row(1L, 3L))
        )
        assertEquals(one("SELECT sketch_count(ddsketch_agg(NULL)) FROM range(3)"), 0L)
        assertEquals(
          doubles(one(
            "SELECT sketch_quantile(ddsketch_agg(v, frequency => n), array(0.1, 0.11)) FROM VALUES (3, 1L), (7, 9L), (9, 0L) AS t(v, n)"
          )),
          Seq(3.0, 7.0)
        )
        val special =
          "VALUES double('-Infinity'), -0.0D, 5e-324D, double('Infinity'), double('NaN') AS r(v)"
        val q = doubles(
          one(s"SELECT sketch_quantile(ddsketch_agg(v), array(0, 0.4, 0.6, 0.8, 1)) FROM $special")
        )
        assertEquals(
          q.take(4),
          Seq(Double.NegativeInfinity, 0.0, Double.MinPositiveValue, Double.PositiveInfinity)
        )
        assert(q(4).isNaN)
      }
    }
  }

  test("every number type with its extremes: minimum and maximum are exact in the type") {
    val columns = Seq(
      "TINYINT" -> Seq("-128", "0", "127"),
      "SMALLINT" -> Seq("-32768", "100", "32767"),
      "INT" -> Seq("-2147483648", "1", "2147483647"),
      "BIGINT" -> Seq("-9223372036854775808", "9007199254740993", "9223372036854775807"),
      "FLOAT" -> Seq("-3.4028235E38", "1.4E-45", "3.4028235E38"),
      "DOUBLE" -> Seq("-1.7976931348623157E308", "4.9E-324", "1.7976931348623157E308"),
      "DECIMAL(18,2)" -> Seq("-9999999999999999.99", "0.01", "9999999999999999.99"),
      "DECIMAL(5,5)" -> Seq("-0.99999", "0.00001", "0.99999")
    )
    columns.foreach { case (sqlType, values) =>
      val table = values.map(v => s"('$v')").mkString("VALUES ", ", ", " AS t(v)")
      val r = rows(
        s"""SELECT sketch_min(s, '$sqlType') = CAST('${values(
            0
          )}' AS $sqlType), sketch_max(s, '$sqlType') = CAST('${values(2)}' AS $sqlType),
           |sketch_quantile(s, array(0, 0.5, 1)), sketch_quantile_bounds(s, 0.5, '$sqlType') AS b, sketch_describe(s).value_type
           |FROM (SELECT ddsketch_agg(CAST(v AS $sqlType), 0.001) AS s FROM $table)""".stripMargin
      ).head
      assertEquals((r.getBoolean(0), r.getBoolean(1), r.getString(4)), (true, true, sqlType), sqlType)
      r.getSeq[Double](2).zip(values).foreach { case (answer, v) =>
        // the exact value of the float: its text is an abbreviation
        val exact = if (sqlType == "FLOAT") new BigDecimal(v.toFloat.toDouble)
        else if (sqlType == "DOUBLE") new BigDecimal(v.toDouble) else new BigDecimal(v)
        assert(
          new BigDecimal(
            answer
          ).subtract(exact).abs.compareTo(exact.abs.multiply(new BigDecimal(0.001))) <= 0,
          s"$sqlType: $answer for $v"
        )
      }
    }
  }

  test("small whole numbers are exact; the bins bound ranks and shares") {
    val small = "(SELECT ddsketch_agg(id) AS s FROM range(1, 41))"
    assertEquals(
      rows(
        s"SELECT sketch_rank(s, 20), sketch_rank_bounds(s, 20.5), sketch_cdf(s, array(10, 30)), sketch_pmf(s, array(10)), sketch_describe(s).exact FROM $small"
      ),
      Seq(Row(20L, Row(20L, 20L), Seq(0.25, 0.75), Seq(0.25, 0.75), true))
    )
    latencies
    val sorted = (0L until 6000L).map(value).sorted
    Seq(-1000.0, -1.5, 0.0, 12345.6, 1e9).foreach { x =>
      val r = rows(
        s"SELECT sketch_rank(s, ${x}D), sketch_rank_bounds(s, ${x}D) AS b FROM (SELECT ddsketch_agg(v) AS s FROM numbers)"
      ).head
      val exact = sorted.count(_ <= x).toLong
      val (low, high) = (r.getStruct(1).getLong(0), r.getStruct(1).getLong(1))
      assert(
        low <= exact && exact <= high && low <= r.getLong(0) && r.getLong(0) <= high,
        s"$x: $exact in $r"
      )
      assert(high - low < 100, s"$r")
    }
  }

  test("sketch_describe describes a ddsketch") {
    assertEquals(
      rows(
        "SELECT d.family, d.format, d.value_type, d.parameters, d.count, d.error, d.exact, d.panes FROM (SELECT sketch_describe(ddsketch_agg(id, 0.02)) AS d FROM range(1000))"
      ),
      Seq(Row("ddsketch", 1, "BIGINT", Map("alpha" -> 0.02), 1000L, null, false, null))
    )
    assertEquals(one("SELECT is_sketch(ddsketch_agg(id)) FROM range(3)"), true)
  }

  test("OVER frames, in our operator and in Spark's, the bytes equal the core's") {
    latencies
    val frame = "OVER (ORDER BY id ROWS 20 PRECEDING)"
    val query =
      s"""SELECT id, ddsketch_agg(v) $frame AS a, sketch_merge_agg(s) $frame AS b
         |FROM (SELECT id, first(v) AS v, ddsketch_agg(v) AS s FROM numbers WHERE id < 200 GROUP BY id)""".stripMargin
    Seq("true", "false").foreach { enabled =>
      withConf(SlidingConf.Enabled -> enabled) {
        val answers = rows(query)
        assertEquals(answers.size, 200)
        answers.foreach { r =>
          val id = r.getLong(0)
          val expected = core(0.01, (math.max(0L, id - 20) to id).map(value))
          assertEquals((bytes(r.get(1)), bytes(r.get(2))), (expected, expected), s"row $id")
        }
      }
    }
  }

  test("it runs in our operator, and calls of the same ddsketch share it") {
    val plan = sql(
      "SELECT id % 3, sketch_max(ddsketch_agg(id)), sketch_count(ddsketch_agg(id, alpha => 0.01)) FROM range(9) GROUP BY 1"
    ).queryExecution.executedPlan.toString
    assert(plan.contains("SketchAggregate"), plan)
    assert(plan.contains("ddsketch(alpha=0.01)"), plan)
  }
}
