package chronosketch.spark.moments

import scala.collection.mutable

import org.apache.spark.sql.Row

import chronosketch.Cases
import chronosketch.spark.aggregate.AggregateConf
import chronosketch.spark.{SparkSuite, TypedRows}

/** Compares sketches of moments and of pairs, in our operators and in Spark's, with Spark's own functions. */
class MomentsSuite extends SparkSuite {
  private val operators = Seq("our" -> Nil, "Spark's own" -> Seq(AggregateConf.Enabled -> "false"))

  /** A query of a sketch of moments, and Spark's function with the same answer. */
  private val ofValues = Seq(
    "sketch_count(s)" -> "count(v)",
    "sketch_sum(s)" -> "CAST(sum(v) AS DOUBLE)",
    "sketch_mean(s)" -> "CAST(avg(v) AS DOUBLE)",
    "sketch_min(s)" -> "CAST(min(v) AS DOUBLE)",
    "sketch_max(s)" -> "CAST(max(v) AS DOUBLE)",
    "sketch_variance(s)" -> "var_samp(v)",
    "sketch_variance(s, true)" -> "var_pop(v)",
    "sketch_stddev(s)" -> "stddev_samp(v)",
    "sketch_stddev(s, population => true)" -> "stddev_pop(v)",
    "sketch_skewness(s)" -> "skewness(v)",
    "sketch_kurtosis(s)" -> "kurtosis(v)"
  )

  private val ofPairs = Seq(
    "sketch_count(s)" -> "regr_count(y, x)",
    "sketch_covar(s)" -> "covar_samp(y, x)",
    "sketch_covar(s, true)" -> "covar_pop(y, x)",
    "sketch_corr(s)" -> "corr(y, x)",
    "sketch_slope(s)" -> "regr_slope(y, x)",
    "sketch_intercept(s)" -> "regr_intercept(y, x)",
    "sketch_r2(s)" -> "regr_r2(y, x)"
  )

  private def near(found: Any, expected: Any): Boolean = (found, expected) match {
    case (a: Double, b: Double) =>
      a == b || (a.isNaN && b.isNaN) || math.abs(a - b) <= 1e-9 * math.max(math.abs(b), 1e-3)
    case _ => found == expected
  }

  // answers of Spark's functions by query: the tests of both of our operators ask for the same ones
  private val answersOfSpark = mutable.HashMap.empty[String, Seq[Row]]

  /** Compares the answers of each group's sketch with Spark's, for the rows of a view. Returns the number of groups. */
  private def check(builder: String, asked: Seq[(String, String)], view: String): Int = {
    val ours = rows(
      s"SELECT k, ${asked.map(_._1).mkString(", ")} FROM (SELECT k, $builder AS s FROM $view GROUP BY k) ORDER BY k"
    )
    val functions = s"SELECT k, ${asked.map(_._2).mkString(", ")} FROM $view GROUP BY k ORDER BY k"
    val sparks = answersOfSpark.getOrElseUpdate(functions, rows(functions))
    assertEquals(ours.size, sparks.size)
    ours.zip(sparks).foreach { case (a, b) =>
      asked.indices.foreach { i =>
        assert(
          near(a.get(i + 1), b.get(i + 1)),
          s"${asked(i)._1} of ${a.get(0)}: ${a.get(i + 1)}, ${b.get(i + 1)}"
        )
      }
    }
    ours.size
  }

  private def view(name: String, select: String): String = {
    sql(select).createOrReplaceTempView(name)
    name
  }

  private lazy val latencies = view(
    "latencies",
    "SELECT id % 7 AS k, IF(id % 11 = 0, NULL, pow(pmod(id * 7919, 10007), 3) / 1e6 - 1000) AS v FROM range(0, 20000, 1, 3)"
  )

  private lazy val pairs = view(
    "pairs",
    """SELECT id % 5 AS k, IF(id % 13 = 0, NULL, sqrt(id) + pmod(id * 7919, 101)) AS y, IF(id % 17 = 0, NULL, id / 7D) AS x
      |FROM range(0, 9000, 1, 3)""".stripMargin
  )

  for ((operator, conf) <- operators) {
    test(s"groups have the answers of Spark's functions; $operator operator") {
      withConf(conf: _*) {
        assertEquals(check("moments_agg(v)", ofValues, latencies), 7)
        assertEquals(check("comoments_agg(y, x)", ofPairs, pairs), 5)
      }
    }

    test(s"whole numbers are exact for any partitions; $operator operator") {
      withConf(conf: _*) {
        val far = "9007199254740993L + id"
        assertEquals(
          rows(
            s"""SELECT sketch_variance(moments_agg($far), true), sketch_skewness(moments_agg($far)),
               |  sketch_r2(comoments_agg($far, -3 * id)) FROM range(1, 101)""".stripMargin
          ),
          Seq(Row(833.25, 0.0, 1.0))
        )
        def bytes(query: String): Seq[Seq[Byte]] =
          rows(query).flatMap(_.toSeq.map(_.asInstanceOf[Array[Byte]].toSeq))
        val built = "moments_agg(id) AS m, comoments_agg(id, id % 9) AS c"
        val parts = s"SELECT $built FROM range(0, 5000, 1, 3) GROUP BY id % 37"
        assertEquals(
          bytes(s"SELECT sketch_merge_agg(m), sketch_merge_agg(c) FROM ($parts)"),
          bytes(s"SELECT $built FROM range(0, 5000, 1, 1)")
        )
      }
    }

    test(s"no rows, one value, equal values, NaN and infinities; $operator operator") {
      withConf(conf ++ Seq("spark.sql.ansi.enabled" -> "false"): _*) {
        val ends =
          "VALUES (0, NULL), (0, NULL), (1, 3), (2, 3), (2, NULL), (2, 3), (2, 3), (3, 1), (3, 2) AS t(k, v)"
        val few = view("few", s"SELECT k, CAST(v AS DOUBLE) AS v FROM $ends")
        assertEquals(check("moments_agg(v)", ofValues, few), 4)
        val fewPairs = view("few_pairs", s"SELECT k, v AS y, v AS x FROM $few")
        assertEquals(check("comoments_agg(y, x)", ofPairs, fewPairs), 4)
        val special =
          view("special", "SELECT 0 AS k, v FROM VALUES (1D), (DOUBLE('NaN')), (DOUBLE('-Infinity')) AS t(v)")
        check("moments_agg(v)", ofValues.filterNot(_._1.contains("sum")), special)
        assertEquals(
          rows(
            "SELECT sketch_count(s), sketch_mean(s), sketch_max(s) FROM (SELECT moments_agg(id) AS s FROM range(0))"
          ),
          Seq(Row(0L, null, null))
        )
        assertEquals(
          rows(
            "SELECT sketch_count(s), sketch_corr(s) FROM (SELECT comoments_agg(id, NULL) AS s FROM range(5))"
          ),
          Seq(Row(0L, null))
        )
      }
    }
  }

  private val exactNumbers =
    TypedRows.values.takeWhile(_._1 != "DATE").filterNot(_._1.matches("FLOAT|DOUBLE"))

  for (((dataType, value), (operator, conf)) <- Cases.inTurns(exactNumbers, operators))
    test(s"frequencies count as repeated rows of type $dataType; $operator operator") {
      withConf(conf: _*) {
        view("typed", s"SELECT id % 2 AS k, $value AS v, id % 3 AS n FROM range(1, 101)")
        view("repeated", "SELECT k, v FROM typed LATERAL VIEW explode(sequence(1, n)) e AS i WHERE n > 0")
        def bytes(call: String, from: String): Seq[Seq[Byte]] =
          rows(s"SELECT k, $call FROM $from GROUP BY k ORDER BY k").map(_.getAs[Array[Byte]](1).toSeq)
        assertEquals(bytes("moments_agg(v, n)", "typed"), bytes("moments_agg(v)", "repeated"))
      }
    }

  test("a large mean does not make the other moments less precise") {
    val far = "SELECT stddev_samp(v) FROM (SELECT sin(id) AS v FROM range(100000))"
    val near = "SELECT sketch_stddev(moments_agg(1e9D + sin(id))) FROM range(100000)"
    // 1e9 + sin(id) itself is rounded in the seventh digit
    assert(math.abs(one(near).asInstanceOf[Double] - one(far).asInstanceOf[Double]) < 1e-8)
  }

  test("in a plan with joins, filters, DISTINCT, PIVOT and OVER") {
    val joined = "latencies l JOIN (SELECT DISTINCT k AS j FROM latencies WHERE k < 3) ON k = j"
    assert(near(
      one(s"SELECT sketch_mean(moments_agg(v) FILTER (WHERE v > 0)) FROM $joined"),
      one(s"SELECT avg(v) FROM $joined WHERE v > 0")
    ))
    assert(near(
      one("SELECT sketch_stddev(moments_agg(DISTINCT v)) FROM latencies"),
      one("SELECT stddev(DISTINCT v) FROM latencies")
    ))
    val over = "OVER (PARTITION BY k ORDER BY id ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)"
    val sliding = rows(
      s"SELECT sketch_stddev(moments_agg(v) $over), stddev(v) $over FROM (SELECT id, id % 3 AS k, sin(id) AS v FROM range(500))"
    )
    assertEquals(sliding.size, 500)
    sliding.foreach(r => assert(near(r.get(0), r.get(1)), r.toString))
    val correlated = rows(
      s"SELECT sketch_corr(comoments_agg(v, id) $over), corr(v, id) $over FROM (SELECT id, id % 3 AS k, sin(id) AS v FROM range(6, 500))"
    )
    correlated.foreach(r => assert(near(r.get(0), r.get(1)), r.toString))
  }

  test("hopping windows merge the moments of their panes") {
    val events = view(
      "events",
      "SELECT timestamp_seconds(id * 20) AS ts, id % 2 AS host, id AS v, id * id AS w FROM range(500)"
    )
    val window = "window(ts, '10 minutes', '5 minutes')"
    val hopped = rows(
      s"""SELECT host, window.start, sketch_mean(m), sketch_stddev(m), sketch_slope(c) FROM hopping_sketch(TABLE($events),
         |event_time => 'ts', size => INTERVAL '10' MINUTE, slide => INTERVAL '5' MINUTE, by => array('host'),
         |aggs => array('moments_agg(v) AS m', 'comoments_agg(w, v) AS c')) ORDER BY 1, 2""".stripMargin
    )
    val sparks =
      rows(
        s"SELECT host, $window.start, avg(v), stddev(v), regr_slope(w, v) FROM $events GROUP BY host, $window ORDER BY 1, 2"
      )
    assertEquals(hopped.size, sparks.size)
    assert(hopped.size > 50)
    hopped.zip(sparks).foreach { case (a, b) =>
      (0 until 5).foreach(i => assert(near(a.get(i), b.get(i)), s"$a, $b"))
    }
  }
}
