package chronosketch.spark.aggregate.operator

/** Tests the operator's metrics, and what EXPLAIN FORMATTED shows of it. */
class MetricsSuite extends OperatorSuite {
  Seq("compiled" -> Nil, "not compiled" -> OperatorSuite.notCompiled).foreach { case (way, conf) =>
    test(s"rows, bytes and memory are counted: $way") {
      spark.range(0, 9000, 1, 3).selectExpr("id % 5 AS k", "id AS v").createOrReplaceTempView("counted")
      withConf(conf: _*) {
        val answers =
          inOurs(
            sql("SELECT k, approx_quantile(v, 0.5), count(*), quantile_sketch_agg(v) FROM counted GROUP BY k")
          )
        assertEquals(answers.operators.map(_.isFinal).sorted, Seq(false, true))
        val partial = answers.operators.filterNot(_.isFinal).head
        val total = answers.operators.filter(_.isFinal).head
        def of(a: SketchAggregation, name: String): Long = a.metrics(name).value
        assertEquals(of(partial, "numInputRows"), 9000L)
        assertEquals(of(partial, "numOutputRows"), 15L)
        assertEquals(of(total, "numInputRows"), 15L)
        assertEquals(of(total, "numOutputRows"), 5L)
        assert(of(partial, "sketchBytes") > 15 * 600, "a sketch of 600 values has more bytes than that")
        Seq(partial, total).foreach { a =>
          assert(of(a, "peakMemory") > 0)
          assert(of(a, "aggTime") >= 0)
          assertEquals(of(a, "partialFlushes"), 0L)
          assert(of(a, "spillSize") <= 0)
        }
      }
    }

    test(s"without keys there is one output row, also for empty input: $way") {
      withConf(conf: _*) {
        val answers =
          inOurs(sql("SELECT approx_quantile(id, 0.5) FROM range(0, 100, 1, 4) WHERE pmod(id * 3, 7) > 6"))
        assertEquals(answers.operators.map(_.metrics("numInputRows").value).sum, 4L)
        assertEquals(answers.operators.map(_.metrics("numOutputRows").value).sum, 5L)
      }
    }
  }

  test("EXPLAIN FORMATTED shows keys, functions and sketches") {
    val text =
      sql("EXPLAIN FORMATTED SELECT id % 2, approx_quantile(id, 0.5), sum(id) FROM range(9) GROUP BY 1")
        .head().getString(0)
    Seq("SketchAggregate", "Keys [1]", "Functions [2]", "Sketches [1]", "approx_quantile(id, 0.5").foreach(
      part =>
        assert(text.contains(part), s"$part in $text")
    )
  }
}
