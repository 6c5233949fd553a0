package chronosketch.spark.warehouse

import org.apache.spark.sql.DataFrame

import chronosketch.rank.Phi

/** Compares a warehouse's answers with all of its rows, while it has live rows of a stream. */
class LiveSuite extends WarehouseTests {
  private val epsilon = 0.02

  private def rows(n: Int, count: Long = 2000): DataFrame = spark.range(0, count, 1, 3).selectExpr(
    s"CAST(pow(abs(hash(id, $n)) % 100000, 1.5) AS BIGINT) AS v",
    "IF(id % 3 = 0, NULL, concat('k', id % 3)) AS k",
    "id AS another"
  )

  private def countOf(groups: Map[Seq[Any], IndexedSeq[Any]])(group: Seq[Any]): Long =
    groups.get(group).fold(0L)(_.size.toLong)

  /** The allowed rank error, by the paper: epsilon / 4 times the number of live rows. */
  private def allowedError(live: DataFrame*): Seq[Any] => Long = {
    val counts = countOf(truth(live.reduce(_ union _), Seq("k"), "v")) _
    group => (epsilon / 4 * counts(group)).toLong
  }

  private def checkAnswers(
      w: Warehouse,
      all: Seq[DataFrame],
      live: Seq[DataFrame],
      window: Option[Long] = None
  ) = {
    val expected = truth(all.reduce(_ union _), Seq("k"), "v")
    check(
      w.quantile(phis, window = window),
      expected,
      1,
      if (live.isEmpty) exact else allowedError(live: _*)
    )
    check(w.quantile(phis, isAccurate = false, window = window), expected, 1)
  }

  test("only live rows make accurate answers uncertain, while steps end and runs and batches are merged") {
    val path = folder()
    val now = new Clock
    Warehouse.create(spark, path, "v", Seq("k"), epsilon, kappa = 2)
    val w = over(path, log(path), now)
    w.append(rows(0))
    val stream = new ManualStream(spark, w, rows(0), stepMillis = Some(60000L))
    val batches = (1 to 14).map(rows(_))
    batches.zipWithIndex.foreach { case (batch, i) =>
      // every fourth batch is in a new minute
      now.millis = i / 4 * 60000L + i % 4
      stream.take(i.toLong, batch)
      val state = w.state
      assertEquals(state.live.map(_.rows).sum, (i % 4 + 1) * 2000L)
      assert(
        state.entries.groupBy(l => (l.getClass, l.level)).values.forall(_.size <= 2),
        state.entries.toString
      )
      if (i % 5 == 2) checkAnswers(w, rows(0) +: batches.take(i + 1), batches.slice(i / 4 * 4, i + 1))
    }
    assertEquals(
      w.windows.map(x => (x.steps, x.firstStep, x.lastStep, x.rows, x.live)),
      Seq((1L, 5L, 5L, 4000L, 4000L), (2L, 4L, 5L, 12000L, 4000L), (5L, 1L, 5L, 30000L, 4000L))
    )
    // the live batches are the newest step
    checkAnswers(w, batches.drop(12), batches.drop(12), window = Some(1L))
    checkAnswers(w, batches.drop(8), batches.drop(12), window = Some(2L))
    // another process reads the same from the files
    checkAnswers(Warehouse.open(spark, path), rows(0) +: batches, batches.drop(12))
    now.millis += 60000
    assertEquals(w.compact(), 0)
    assertEquals((w.state.open, w.state.lastStep), (None, Some(5L)))
    checkAnswers(w, rows(0) +: batches, Nil)
    checkAnswers(w, batches.drop(12), Nil, window = Some(1L))
  }

  test("only live rows, groups with only live rows, batches without rows, NULLs") {
    val path = folder()
    val w = Warehouse.create(spark, path, "v", Seq("k"), epsilon = epsilon)
    val stream = new ManualStream(spark, w, rows(0))
    stream.take(0, rows(0).where("false"))
    assertEquals((w.state.version, w.endStep()), (0L, None))
    assertEquals(condition(w.quantile(phis)), "CHRONOSKETCH_WAREHOUSE_EMPTY")
    val nulls = rows(1, 30).selectExpr("CAST(NULL AS BIGINT) AS v", "k", "another")
    stream.take(1, nulls)
    assertEquals((w.state.nulls, w.state.rows, w.state.live.size), (30L, 0L, 1))
    assertEquals(w.quantile(phis).collect().toSeq, Nil)
    stream.take(2, rows(2))
    checkAnswers(w, Seq(rows(2)), Seq(rows(2)))
    assertEquals(
      w.endStep().map(e => (e.step, e.rows, e.nulls, e.isNew)),
      Some((1L, 2000L, 30L, true))
    )
    val late = rows(3, 900).selectExpr("v", "'late' AS k", "another")
    stream.take(3, late)
    stream.take(4, rows(4).where("false"))
    stream.take(5, rows(5))
    checkAnswers(w, Seq(rows(2), late, rows(5)), Seq(late, rows(5)))
    val plan = w.quantile(Seq(Phi(0.5))).queryExecution.executedPlan.toString
    assert(plan.contains("1 runs with 2000 rows, 2 live batches with 2900 rows, phi 0.5"), plan)
    // sketches of few values are exact, so no rank is uncertain
    val w2 = Warehouse.create(spark, folder(), "v", epsilon = epsilon)
    val few = spark.range(300).selectExpr("id % 50 AS v")
    new ManualStream(spark, w2, few).take(0, few)
    check(w2.quantile(phis), truth(few, Nil, "v"), 0)
  }

  test("ranks are exact except for the uncertainty of live rows") {
    val path = folder()
    val w = Warehouse.create(spark, path, "v", epsilon = epsilon)
    w.append(rows(0))
    new ManualStream(spark, w, rows(0)).take(0, rows(1))
    val all = rows(0).union(rows(1))
    val allowed = 2 * epsilon / 4 * 2000
    Seq(-1L, 4711L, 8000000L, 31622776L).foreach { value =>
      val exact = all.where(s"v <= $value").count()
      val row = sql(s"SELECT rank_low, rank_high FROM warehouse_rank('$path', $value)").head()
      assert(row.getLong(0) <= exact && exact <= row.getLong(1), s"$row is not about $exact")
      assert(row.getLong(1) - row.getLong(0) <= allowed, row.toString)
    }
  }

  test("an append during an open step comes before it: the live rows get the next step") {
    val w = Warehouse.create(spark, folder(), "v", Seq("k"), epsilon = epsilon)
    val stream = new ManualStream(spark, w, rows(0))
    stream.take(0, rows(0))
    assertEquals(w.append(rows(1), step = Some(7)).step, 7L)
    assertEquals(w.windows.map(x => (x.steps, x.firstStep)), Seq((1L, 8L), (2L, 7L)))
    checkAnswers(w, Seq(rows(0)), Seq(rows(0)), window = Some(1L))
    assertEquals(w.endStep().map(_.step), Some(8L))
    checkAnswers(w, Seq(rows(0)), Nil, window = Some(1L))
  }
}
