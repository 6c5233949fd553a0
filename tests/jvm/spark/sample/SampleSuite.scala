package chronosketch.spark.sample

import org.apache.spark.sql.Row

import chronosketch.spark.SparkSuite
import chronosketch.spark.aggregate.AggregateConf

/** Tests samples in our operators and in Spark's. */
class SampleSuite extends SparkSuite {
  private val operators = Seq("our" -> Nil, "Spark's own" -> Seq(AggregateConf.Enabled -> "false"))
  private val methods = Seq("reservoir", "priority", "bernoulli")

  private def bytes(query: String): Seq[Byte] = one(query).asInstanceOf[Array[Byte]].toSeq

  for ((operator, conf) <- operators) {
    test(
      s"the same rows, partitions and seed give the same sample, another seed another; $operator operator"
    ) {
      withConf(conf: _*) {
        for (method <- methods) {
          def sample(seed: Int): Seq[Byte] = bytes(
            s"SELECT sample_sketch_agg(id * 7 % 1000, 50, '$method', $seed) FROM range(0, 5000, 1, 4)"
          )
          assertEquals(sample(1), sample(1), method)
          val values = Seq(1, 2).map(seed =>
            one(
              s"SELECT sketch_sample(sample_sketch_agg(id, 50, '$method', seed => $seed), 'bigint') FROM range(0, 5000, 1, 4)"
            ).asInstanceOf[scala.collection.Seq[Long]].toSeq
          )
          assertNotEquals(values(0), values(1), method)
          assert(values.forall(v => v.size <= 50 && v.size > 10 && v == v.sorted && v.toSet.size == v.size))
        }
      }
    }

    test(s"with row ids, a sample depends on neither order nor partitions; $operator operator") {
      withConf(conf: _*) {
        for (method <- Seq("", "method => 'bernoulli', ", "method => 'PRIORITY', ")) {
          def sample(from: String): Seq[Byte] = bytes(
            s"SELECT sample_sketch_agg(id % 97, 60, ${method}id => id, seed => 5) FROM $from"
          )
          val whole = sample("range(0, 5000, 1, 1)")
          assertEquals(sample("range(0, 5000, 1, 7)"), whole)
          assertEquals(sample("(SELECT id FROM range(0, 5000, 1, 5) ORDER BY hash(id))"), whole)
          val parts =
            s"SELECT sample_sketch_agg(id % 97, 60, ${method}id => id, seed => 5) AS s FROM range(5000) GROUP BY id % 11"
          assertEquals(bytes(s"SELECT sketch_merge_agg(s) FROM ($parts)"), whole)
        }
      }
    }

    test(s"equal partitions are sampled independently; $operator operator") {
      withConf(conf: _*) {
        val day = "SELECT id % 1000 AS v FROM range(0, 2000, 1, 1)"
        val days = Seq.fill(30)(day).mkString(" UNION ALL ")
        for (method <- methods) {
          val below = one(
            s"SELECT sketch_cdf(sample_sketch_agg(v, 500, '$method'), array(499))[0] FROM ($days)"
          ).asInstanceOf[Double]
          assert(math.abs(below - 0.5) < 4 * 0.5 / math.sqrt(250), s"$method: $below")
        }
      }
    }

    test(s"NULLs and no rows; $operator operator") {
      withConf(conf: _*) {
        assertEquals(
          rows(
            "SELECT sketch_count(s), sketch_quantile(s, 0.5), size(sketch_sample(s)), sketch_rank_error(s) FROM (SELECT sample_sketch_agg(id) AS s FROM range(0))"
          ),
          Seq(Row(0L, null, 0, null))
        )
        assertEquals(
          rows("SELECT sketch_count(sample_sketch_agg(id, 10, id => IF(id < 3, NULL, id))) FROM range(10)"),
          Seq(Row(7L))
        )
      }
    }

    test(s"answers are within bounds that are as narrow as the size allows; $operator operator") {
      withConf(conf: _*) {
        val n = 200000
        for (method <- methods) {
          val r = rows(
            s"""SELECT q, b.low, b.high, sketch_rank_error(s), sketch_rank(s, 50000), rb.low, rb.high,
               |sketch_pmf(s, array(50000, 150000)), sketch_describe(s).confidence, sketch_count(s)
               |FROM (SELECT *, sketch_quantile(s, 0.99, 'bigint') AS q, sketch_quantile_bounds(s, 0.99, 'bigint') AS b,
               |sketch_rank_bounds(s, 50000) AS rb FROM
               |(SELECT sample_sketch_agg(id, 4000, '$method', delta => 0.001) AS s FROM range(0, $n, 1, 3)))""".stripMargin
          ).head
          val exact = (n * 0.99).toLong - 1
          assert(r.getLong(1) <= exact && exact <= r.getLong(2) && r.getLong(1) <= r.getLong(0), r.toString)
          // near the ends the bounds are narrower than the error for all ranks
          assert(r.getLong(2) - r.getLong(1) < n * (r.getDouble(3) + 0.01), r.toString)
          assert(r.getDouble(3) > 0.01 && r.getDouble(3) < 0.06, r.toString)
          assert(r.getLong(5) <= 50001 && 50001 <= r.getLong(6), r.toString)
          assert(math.abs(r.getLong(4) - 50001) < n * r.getDouble(3), r.toString)
          assert(math.abs(r.getSeq[Double](7).sum - 1) < 1e-9)
          assertEquals((r.getDouble(8), r.getLong(9)), (0.999, n.toLong))
        }
      }
    }
  }

  test("in a plan with joins, FILTER, DISTINCT, PIVOT, OVER and WITHOUT generated code") {
    assertEquals(
      one(
        "SELECT sketch_count(sample_sketch_agg(a.id, 5) FILTER (WHERE a.id % 2 = 0)) FROM range(100) a JOIN range(50) b ON a.id = b.id"
      ),
      25L
    )
    assertEquals(one("SELECT sketch_count(sample_sketch_agg(DISTINCT id % 7)) FROM range(100)"), 7L)
    assertEquals(
      rows(
        "SELECT * FROM (SELECT id % 2 AS k, id AS v FROM range(10)) PIVOT (sample_sketch_agg(v, 3) AS s FOR k IN (0, 1))"
      ).head.length,
      2
    )
    val sliding = rows(
      "SELECT sketch_sample(sample_sketch_agg(id, 9) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW), 'int') FROM range(4)"
    )
    assertEquals(sliding.map(_.getSeq[Int](0).toSeq), Seq(Seq(0), Seq(0, 1), Seq(0, 1, 2), Seq(1, 2, 3)))
    withConf("spark.sql.codegen.wholeStage" -> "false") {
      assertEquals(one("SELECT sketch_count(sample_sketch_agg(id, 9, id => id)) FROM range(100)"), 100L)
    }
  }

  for ((operator, conf) <- operators) test(
    s"hopping windows merge the samples of their panes, which are independent even of equal panes; $operator operator"
  ) {
    sql(
      "SELECT timestamp_seconds(id) AS ts, id % 100 AS v FROM range(60000)"
    ).createOrReplaceTempView("beats")
    val hopped = withConf(conf: _*)(rows(
      """SELECT sketch_count(s), sketch_cdf(s, array(49))[0] FROM hopping_sketch(TABLE(beats), event_time => 'ts',
        |size => INTERVAL '100' MINUTE, slide => INTERVAL '100' SECOND, aggs => array('sample_sketch_agg(v, 400) AS s'))
        |WHERE sketch_count(s) = 6000""".stripMargin
    ))
    assert(hopped.size > 500)
    hopped.foreach(r => assert(math.abs(r.getDouble(1) - 0.5) < 5 * 0.5 / 20, r.toString))
  }

  test("samples of many groups, which do not fit in buffers together, stay separate") {
    val r = rows(
      "SELECT k, sketch_count(s), size(sketch_sample(s)), sketch_min(s), sketch_max(s) FROM (SELECT id % 500 AS k, sample_sketch_agg(id, 20) AS s FROM range(0, 100000, 1, 2) GROUP BY 1) ORDER BY 1"
    )
    assertEquals(r.size, 500)
    r.foreach(x =>
      assertEquals(
        (x.getLong(1), x.getInt(2), x.getDouble(3), x.getDouble(4)),
        (200L, 20, x.getLong(0).toDouble, 99500.0 + x.getLong(0))
      )
    )
  }
}
