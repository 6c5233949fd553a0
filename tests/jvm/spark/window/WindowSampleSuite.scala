package chronosketch.spark.window

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite
import chronosketch.spark.aggregate.AggregateConf

/** Tests samples of windows in our operators and in Spark's. */
class WindowSampleSuite extends SparkSuite {
  private val operators = Seq(
    "our" -> Nil,
    "our, no codegen" -> Seq(
      "spark.sql.codegen.wholeStage" -> "false",
      "spark.sql.codegen.factoryMode" -> "NO_CODEGEN"
    ),
    "Spark's own" -> Seq(AggregateConf.Enabled -> "false")
  )

  private def bytes(query: String): Seq[Byte] = one(query).asInstanceOf[Array[Byte]].toSeq
  private def values(query: String): Seq[Long] =
    one(query).asInstanceOf[scala.collection.Seq[Long]].toSeq

  for ((operator, conf) <- operators) {
    test(
      s"the same rows, partitions and seed give the same sample, another seed another; $operator operator"
    ) {
      withConf(conf: _*) {
        def sample(seed: Int): Seq[Byte] =
          bytes(s"SELECT window_sample_agg(id * 7 % 1000, id, 50, seed => $seed) FROM range(0, 5000, 1, 4)")
        assertEquals(sample(1), sample(1))
        val drawn = Seq(1, 2).map(seed =>
          values(
            s"SELECT sketch_sample(sketch_window(window_sample_agg(id, id, 50, seed => $seed), 1000), 'bigint') FROM range(0, 5000, 1, 4)"
          )
        )
        assertNotEquals(drawn(0), drawn(1))
        assert(drawn.forall(v => v.size == 50 && v == v.sorted && v.toSet.size == v.size && v.head >= 4000))
      }
    }

    test(
      s"with row ids, windows do not depend on order, partitions or merging; $operator operator"
    ) {
      withConf(conf: _*) {
        def built(from: String): String =
          s"SELECT window_sample_agg(id % 97, timestamp_seconds(pmod(id * 7919, 5003)), 60, id => id, seed => 5) AS s FROM $from"
        val spans = Seq("'1 second'", "'30 seconds'", "'10 minutes'", "'1 hour'", "'2 days'")
        def windows(from: String): Seq[Any] =
          rows(
            s"SELECT ${spans.map(w => s"sketch_sample(sketch_window(s, $w), 'bigint')").mkString(", ")} FROM $from"
          ).flatMap(_.toSeq)
        val whole = windows(s"(${built("range(0, 5000, 1, 1)")})")
        assertEquals(windows(s"(${built("range(0, 5000, 1, 7)")})"), whole)
        assertEquals(windows(s"(${built("(SELECT id FROM range(0, 5000, 1, 5) ORDER BY hash(id))")})"), whole)
        val parts = s"${built("range(5000)")} GROUP BY id % 11"
        assertEquals(windows(s"(SELECT sketch_merge_agg(s) AS s FROM ($parts))"), whole)
        // so few rows that no buckets of counts are merged
        assertEquals(bytes(built("range(0, 700, 1, 1)")), bytes(built("range(0, 700, 1, 6)")))
        // merging whole windows of parts and taking a window equals the window of all rows
        val hours =
          "SELECT sketch_window(window_sample_agg(id % 97, id, 60, id => id, seed => 5), 100000) AS w FROM range(5000) GROUP BY id % 11"
        assertEquals(
          values(s"SELECT sketch_sample(sketch_merge_agg(w), 'bigint') FROM ($hours)"),
          values(
            "SELECT sketch_sample(window_sample_agg(id % 97, id, 60, id => id, seed => 5), 'bigint') FROM range(5000)"
          )
        )
      }
    }

    test(s"NULLs and no rows; $operator operator") {
      withConf(conf: _*) {
        assertEquals(
          rows(
            "SELECT sketch_count(w), sketch_quantile(w, 0.5), size(sketch_sample(w)), sketch_rank_error(w), sketch_min(w) FROM (SELECT sketch_window(window_sample_agg(id, id), 10) AS w FROM range(0))"
          ),
          Seq(Row(0L, null, 0, null, null))
        )
        assertEquals(
          rows(
            "SELECT sketch_count(s), sketch_sample(sketch_window(s, 3), 'int') FROM (SELECT window_sample_agg(IF(id = 8, NULL, id), IF(id = 9, NULL, id), 10, id => IF(id < 3, NULL, id)) AS s FROM range(10))"
          ).head.toString,
          "[5,ArraySeq(5, 6, 7)]"
        )
        assertEquals(one("SELECT sketch_count(window_sample_agg(NULL, id)) FROM range(10)"), 0L)
        assertEquals(one("SELECT sketch_count(window_sample_agg(id, NULL)) FROM range(10)"), 0L)
        assertEquals(one("SELECT sketch_count(window_sample_agg(id, id, id => NULL)) FROM range(10)"), 10L)
      }
    }

    test(s"every query, with bounds that contain the answer; $operator operator") {
      withConf(conf: _*) {
        val n = 200000
        val r = rows(
          s"""SELECT q, b.low, b.high, sketch_rank_error(w), sketch_rank(w, 150000), rb.low, rb.high,
             |sketch_pmf(w, array(120000, 150000)), sketch_cdf(w, array(150000))[0], d.confidence, d.kept, c.low, c.high, sketch_count(w)
             |FROM (SELECT *, sketch_quantile(w, 0.99, 'bigint') AS q, sketch_quantile_bounds(w, 0.99, 'bigint') AS b,
             |sketch_rank_bounds(w, 150000) AS rb, sketch_describe(w) AS d, sketch_count_bounds(w) AS c FROM
             |(SELECT sketch_window(window_sample_agg(id, timestamp_millis(id), 4000), '100 seconds') AS w FROM range(0, $n, 1, 3)))""".stripMargin
        ).head
        val exact = n / 2 + n / 2 * 99 / 100 - 1
        assert(r.getLong(1) <= exact && exact <= r.getLong(2) && r.getLong(1) <= r.getLong(0), r.toString)
        assert(r.getDouble(3) > 0.01 && r.getDouble(3) < 0.06, r.toString)
        assert(r.getLong(5) <= 50001 && 50001 <= r.getLong(6), r.toString)
        assert(math.abs(r.getLong(4) - 50001) < n / 2 * (r.getDouble(3) + 0.01), r.toString)
        assert(math.abs(r.getSeq[Double](7).sum - 1) < 1e-9)
        assert(math.abs(r.getDouble(8) - 0.5) < 0.06)
        assertEquals((r.getDouble(9), r.getLong(10)), (0.9999, 4000L))
        assert(r.getLong(11) <= 100000 && 100000 <= r.getLong(12) && r.getLong(12) < 1.011 * r.getLong(11))
        assert(r.getLong(11) <= r.getLong(13) && r.getLong(13) <= r.getLong(12))
      }
    }
  }

  test("as_of, retention, and spans with AND and OR") {
    val s = "(SELECT window_sample_agg(id, id, 100, id => id, retention => 3000) AS s FROM range(10000))"
    val asOf = rows(
      s"SELECT sketch_sample(w, 'bigint'), sketch_count_bounds(w), sketch_describe(w).kept, sketch_rank_error(w) FROM (SELECT sketch_window(s, 1000, 8000) AS w FROM $s)"
    ).head
    val drawn = asOf.getSeq[Long](0)
    assert(drawn.forall(v => v > 7000 && v <= 8000) && drawn.size > 10 && drawn.size < 80, drawn)
    assert(asOf.getStruct(1).getLong(0) <= 1000 && 1000 <= asOf.getStruct(1).getLong(1), asOf)
    assertEquals(asOf.getLong(2), drawn.size.toLong)
    assertEquals(
      values(
        s"SELECT sketch_sample(sketch_window(s, within_last(5) AND within_last(2000) OR within_last(3)), 'bigint') FROM $s"
      ),
      (9995L to 9999L).toSeq
    )
    assertEquals(
      refusal(s"SELECT sketch_window(s, 3001) FROM $s").getCondition,
      "CHRONOSKETCH_BEYOND_RETENTION"
    )
    assertEquals(
      rows(
        s"SELECT d.retention, d.time_type, d.kept FROM (SELECT sketch_describe(s) AS d FROM $s)"
      )
        .head.toSeq.last,
      100L
    )
  }

  test("equal partitions are sampled independently") {
    val day = "SELECT id % 1000 AS v, id AS t FROM range(0, 2000, 1, 1)"
    val days = Seq.fill(30)(day).mkString(" UNION ALL ")
    val below = one(
      s"SELECT sketch_cdf(sketch_window(window_sample_agg(v, t, 500), 1500), array(499))[0] FROM ($days)"
    ).asInstanceOf[Double]
    // the last 1 500 times contain the values 500 to 999 twice
    assert(math.abs(below - 1.0 / 3) < 4 * 0.5 / math.sqrt(250), below)
    // in our operator each group of a partition has a random stream of its own
    val groups = rows(
      "SELECT sketch_sample(window_sample_agg(v, v, 5), 'bigint') FROM (SELECT id % 20 AS k, id div 20 AS v FROM range(0, 20000, 1, 1)) GROUP BY k"
    )
    assert(groups.map(_.getSeq[Long](0).toSeq).distinct.size == 20)
  }

  test("in a plan with joins, FILTER, DISTINCT, PIVOT, OVER, other aggregates, and a view") {
    assertEquals(
      one(
        "SELECT sketch_count(sketch_window(window_sample_agg(a.id, a.id, 5) FILTER (WHERE a.id % 2 = 0), 10)) FROM range(100) a JOIN range(50) b ON a.id = b.id"
      ),
      5L
    )
    assertEquals(one("SELECT sketch_count(window_sample_agg(DISTINCT id % 7, id % 7)) FROM range(100)"), 7L)
    assertEquals(
      rows(
        "SELECT * FROM (SELECT id % 2 AS k, id AS v FROM range(10)) PIVOT (window_sample_agg(v, v, 3) AS s FOR k IN (0, 1))"
      ).head.length,
      2
    )
    val sliding = rows(
      "SELECT sketch_sample(sketch_window(window_sample_agg(id, id, 9) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), 2), 'int') FROM range(4)"
    )
    assertEquals(sliding.map(_.getSeq[Int](0).toSeq), Seq(Seq(0), Seq(0, 1), Seq(1, 2), Seq(2, 3)))
    val beside = rows(
      "SELECT k, count(*), sketch_count(window_sample_agg(id, id, 9, id => id)), sketch_count(window_sample_agg(id, id, 9)), sketch_count(window_sketch_agg(id, id)) FROM (SELECT id % 3 AS k, id FROM range(99)) GROUP BY k"
    )
    beside.foreach(r => assertEquals(r.toSeq.tail, Seq[Any](33L, 33L, 33L, 33L)))
  }

  test("hopping windows merge the samples of their panes") {
    sql("SELECT timestamp_seconds(id) AS ts, id % 100 AS v, id FROM range(20000)").createOrReplaceTempView(
      "heartbeats"
    )
    val hopped = rows(
      """SELECT sketch_count(s), size(sketch_sample(sketch_window(s, '200 seconds'))) FROM hopping_sketch(TABLE(heartbeats), event_time => 'ts',
        |size => INTERVAL '100' MINUTE, slide => INTERVAL '100' SECOND, aggs => array('window_sample_agg(v, ts, 150, id => id) AS s'))
        |WHERE sketch_count(s) = 6000""".stripMargin
    )
    assert(hopped.size > 100)
    hopped.foreach(r => assertEquals(r.getInt(1), 150))
  }
}
