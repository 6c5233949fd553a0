package chronosketch.spark.aggregate.operator

import scala.util.Random

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import chronosketch.Cases
import chronosketch.spark.aggregate.AggregateConf

/** Tests that answers and sketches do not depend on the order in which the parts of a group arrive at the task that merges them. */
class ArrivalOrderSuite extends OperatorSuite {
  private val groups = 60
  private val maps = 24

  private def view(): Unit = spark
    .range(0, 20000L * maps, 1, maps)
    .selectExpr(
      "id",
      s"id % $groups AS k",
      s"concat('key ', id % $groups) AS s",
      "pmod(id * 1103515245 + 12345, 2147483647) AS v",
      "sin(id) AS x",
      "timestamp_seconds(id) AS t"
    )
    .createOrReplaceTempView("rows_in_order")

  /** The rows of a query, one text each, in order. The rows that arrive from each shuffle are in an order that the seed decides. */
  private def answers(query: String, seed: Int): Seq[String] =
    withConf("spark.sql.adaptive.enabled" -> "false") {
      val asked = sql(query)
      val plan = asked.queryExecution.executedPlan.transformUp {
        case shuffle: ShuffleExchangeLike => Rearranged(shuffle, seed)
      }
      val toRow = CatalystTypeConverters.createToScalaConverter(asked.schema)
      plan.executeCollect().toSeq.map(row => OperatorSuite.text(toRow(row))).sorted
    }

  private val seeds = 1 to Cases.of(3)

  private def assertOneAnswer(query: String, orders: Range = seeds): Seq[String] = {
    val expected = answers(query, 0)
    assert(expected.nonEmpty)
    orders.foreach { seed =>
      // compare the first different row, so that a message does not show thousands of them
      val other = answers(query, seed)
      expected.zip(other).find { case (a, b) => a != b }.foreach { case (a, b) => assertEquals(b, a, query) }
      assertEquals(other.length, expected.length, query)
    }
    expected
  }

  private val functions = Seq(
    "approx_quantile(v, array(0.01, 0.5, 0.99))",
    "approx_quantile(x, 0.5, 0.001)",
    "approx_quantile_bounds(v, 0.9, tail => 'high')",
    "quantile_sketch_agg(v)",
    "quantile_sketch_agg(v, 0.01)",
    "quantile_sketch_agg(v, 0.05, tail => 'both')",
    "quantile_sketch_agg(v % 40, 0.01, 1 + v % 9)",
    "quantile_sketch_agg(x, 0.01, sum => true)",
    "ddsketch_agg(x)",
    "moments_agg(x)",
    "moments_agg(v)",
    "comoments_agg(x, v)",
    "sample_sketch_agg(v, 100)",
    "sample_sketch_agg(v, 100, id => id)",
    "sample_sketch_agg(v, 100, 'bernoulli', id => id)",
    "window_sketch_agg(v, t, 0.05)",
    "window_sketch_agg(v, t, 0.05, INTERVAL 3 DAYS)",
    "window_moments_agg(x, t, 0.1)",
    "window_sample_agg(v, t, 100)",
    "qlove_sketch_agg(v, t, array(0.5, 0.99), 1)",
    "n_least(v, 5)"
  )

  private def named(calls: Seq[String]): String =
    calls.zipWithIndex.map { case (f, i) => s"$f AS f$i" }.mkString(", ")

  private val list = named(functions)

  test("every function, by key and over all rows") {
    view()
    val byKey = named(functions.filterNot(_.startsWith("n_")))
    assertOneAnswer(s"SELECT k, $byKey, sum(v) FROM rows_in_order GROUP BY k")
    assertOneAnswer(s"SELECT $byKey FROM rows_in_order")
    withConf(OperatorSuite.notCompiled: _*)(
      assertOneAnswer(s"SELECT s, $byKey FROM rows_in_order WHERE id % $groups < 9 GROUP BY s")
    )
  }

  /** Groups around the most rows that a task hands on as they came: of a sample of 100, and of a sample of windows of 20. Each has a twin
    * with the very same rows.
    */
  private def viewOfSizes(): Unit = {
    val sizes = Seq(1, 20, 63, 64, 65, 99, 100, 101, 130, 149, 150, 151, 159, 160, 161, 300)
    val ends = sizes.scanLeft(0)(_ + _).tail
    val size = ends.zipWithIndex.map { case (end, i) => s"WHEN place < $end THEN ${sizes(i)}" }
    spark.range(0, 4L * ends.last, 1, 4)
      .selectExpr("id", s"pmod(id * 7919, ${ends.last}) AS place")
      .selectExpr(
        "id",
        s"CASE ${size.mkString(" ")} END AS k",
        "pmod(id * 1103515245 + 12345, 2147483647) AS v",
        "timestamp_seconds(id % 1000) AS t",
        "explode(array(0, 1)) AS twin"
      )
      .createOrReplaceTempView("rows_of_sizes")
  }

  private val samples = Seq(
    "sample_sketch_agg(v, 100)",
    "sample_sketch_agg(v, 100, 'priority')",
    "sample_sketch_agg(v, 100, 'bernoulli')",
    "window_sample_agg(v, t, 20)",
    // few distinct values, which are not handed on as rows
    "sample_sketch_agg(v % 50, 100)",
    "window_sample_agg(v % 50, t, 20)"
  )

  private val samplesById = Seq(
    "sample_sketch_agg(v, 100, 'priority', id => id)",
    "sample_sketch_agg(v, 100, 'bernoulli', id => id)",
    "window_sample_agg(v, t, 20, id => id)"
  )

  for ((operator, conf) <- Seq("our" -> Nil, "Spark's own" -> Seq(AggregateConf.Enabled -> "false"))) {
    test(s"samples of groups whose rows are handed on, or just no longer, in $operator operator") {
      viewOfSizes()
      val orders = 1 to Cases.of(8)
      withConf(conf: _*) {
        assertOneAnswer(
          s"SELECT k, twin, ${named(samples ++ samplesById)} FROM rows_of_sizes GROUP BY k, twin",
          orders
        )
        assertOneAnswer(s"SELECT ${named(samples)} FROM rows_of_sizes", orders)
        assertOneAnswer(s"SELECT k, twin, ${named(samples)} FROM rows_of_sizes GROUP BY CUBE(k, twin)")
      }
    }

    test(s"groups with the very same rows in every task draw different samples, in $operator operator") {
      viewOfSizes()
      val groups = withConf(conf: _*)(
        rows(s"SELECT k, ${named(samples)} FROM rows_of_sizes WHERE k > 60 GROUP BY k, twin")
      ).groupBy(_.getInt(0))
      assertEquals(groups.size, 14)
      for ((k, twins) <- groups; i <- samples.indices) {
        val both = twins.map(_.getAs[Array[Byte]](i + 1))
        assertEquals(both.size, 2)
        assert(!both(0).sameElements(both(1)), s"${samples(i)}, $k rows in each task")
      }
    }
  }

  test("histories, whose rows are shuffled") {
    view()
    assertOneAnswer(
      "SELECT k, history_sketch_agg(v % 100, id div 3000, epsilon => 0.1) FROM rows_in_order GROUP BY k"
    )
    withConf(AggregateConf.Enabled -> "false")(assertOneAnswer(
      "SELECT k, history_sketch_agg(v % 100, id div 3000, epsilon => 0.1) FROM rows_in_order WHERE k < 3 GROUP BY k"
    ))
  }

  test("stored sketches that are merged below and above a shuffle") {
    view()
    for (
      f <- Seq("quantile_sketch_agg(v, 0.01)", "quantile_sketch_agg(x, 0.01, sum => true)", "moments_agg(x)")
    )
      assertOneAnswer(
        s"""SELECT part % 2, sketch_merge_agg(sketch)
           |FROM (SELECT k, id % 7 AS part, $f AS sketch FROM rows_in_order GROUP BY k, id % 7) GROUP BY part % 2""".stripMargin
      )
  }

  test("aggregates next to DISTINCT ones") {
    view()
    assertOneAnswer(
      "SELECT k, count(DISTINCT v % 50), quantile_sketch_agg(v, 0.01) FROM rows_in_order GROUP BY k"
    )
  }

  test("every function in Spark's own operator, of 60 groups and of 300, which it sorts") {
    view()
    assertOneAnswer(s"SELECT k, max(s), $list FROM rows_in_order GROUP BY k")
    val some = named(functions.take(10))
    assertOneAnswer(s"SELECT id % 300 AS g, max(s), $some FROM rows_in_order GROUP BY id % 300")
    assertOneAnswer(
      """SELECT g % 2, max(name), sketch_merge_agg(sketch)
        |FROM (SELECT id % 300 AS g, max(s) AS name, quantile_sketch_agg(v, 0.01) AS sketch FROM rows_in_order GROUP BY id % 300)
        |GROUP BY g % 2""".stripMargin
    )
  }

  test("grouping sets, whose groups are merged from finer ones of the same task") {
    view()
    for (
      by <- Seq("CUBE(k, id % 5, s)", "ROLLUP(s, id % 11)", "GROUPING SETS ((k % 8, id % 5), (id % 3), ())")
    )
      assertOneAnswer(
        s"""SELECT grouping_id(), quantile_sketch_agg(v, 0.01), quantile_sketch_agg(x, 0.05, sum => true), moments_agg(x),
           |  sample_sketch_agg(v, 50), sum(v)
           |FROM rows_in_order GROUP BY $by""".stripMargin
      )
  }

  test("hopping windows of panes from several tasks") {
    view()
    assertOneAnswer(
      """SELECT window.start, quantile_sketch_agg(v, 0.01)
        |FROM rows_in_order GROUP BY window(t, '6 hours', '2 hours')""".stripMargin
    )
  }

  test("stored bytes that begin like a part of a query are refused as any other that are not a sketch") {
    for (
      bytes <- Seq(
        "",
        "00",
        "0001",
        "01",
        "0100000001",
        "02",
        "0201",
        "03",
        "03" * 9,
        "FF",
        "00" * 2000,
        "02" * 2000,
        "03" * 2000
      );
      isEnabled <- Seq(true, false)
    )
      withConf(AggregateConf.Enabled -> isEnabled.toString) {
        val refused =
          refusal(s"SELECT sketch_merge_agg(x) FROM VALUES (X'$bytes'), (CAST(NULL AS BINARY)) AS t(x)")
        assertEquals(refused.getCondition, "CHRONOSKETCH_NOT_A_SKETCH", bytes.take(20))
      }
  }

  test("parts that do not fit memory are spilled and give the same answer") {
    view()
    val query =
      """SELECT k, quantile_sketch_agg(x), approx_quantile(v, 0.5, 0.05), sum(v)
        |FROM rows_in_order GROUP BY k""".stripMargin
    def metric(name: String): Long = {
      val asked = sql(query)
      asked.collect()
      operators(asked).map(_.metrics(name).value).sum
    }
    withConf("spark.sql.shuffle.partitions" -> "1") {
      val enough = answers(query, 0)
      val scarce = new ScarceMemory(2L << 20)
      try {
        assert(metric("spillSize") > 0, "nothing was spilled")
        assertEquals(metric("partialFlushes"), 0L)
        assertEquals(assertOneAnswer(query), enough)
      } finally scarce.close()
    }
  }
}

/** Hands on the rows of each partition in an order that the seed decides; 0 keeps their order. */
private final case class Rearranged(child: SparkPlan, seed: Int) extends UnaryExecNode {
  def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning

  protected def doExecute(): RDD[InternalRow] = {
    val by = seed
    child.execute().mapPartitions { rows =>
      val all = rows.map(_.copy()).toIndexedSeq
      (if (by == 0) all else new Random(by).shuffle(all)).iterator
    }
  }

  override protected def withNewChildInternal(newChild: SparkPlan): Rearranged = copy(child = newChild)
}
