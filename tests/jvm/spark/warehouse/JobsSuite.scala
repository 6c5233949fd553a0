package chronosketch.spark.warehouse

import org.apache.spark.sql.DataFrame
import org.apache.spark.{SparkContext, SparkException}

import chronosketch.rank.Phi

/** Tests that a warehouse's Spark jobs have descriptions, and can be cancelled. */
class JobsSuite extends WarehouseTests {
  private def context: SparkContext = spark.sparkContext
  private val Description = WarehouseTests.Description

  private def rows(step: Int): DataFrame =
    spark.range(60000).selectExpr(s"hash(id, $step) AS v", "id % 200 AS k")

  private lazy val warehouse = {
    val w = Warehouse.create(spark, folder(), "v", Seq("k"), epsilon = 0.5, kappa = 2)
    (1 to 2).foreach(n => w.append(rows(n)))
    w
  }

  test("jobs of appends, merges and queries have a description, after the user's own") {
    val w = Warehouse.create(spark, folder(), "v", epsilon = 0.1, kappa = 1)
    val appends = described {
      context.setLocalProperty(Description, "nightly")
      (1 to 2).foreach(n => w.append(rows(n)))
      assertEquals(context.getLocalProperty(Description), "nightly")
      context.setLocalProperty(Description, null)
    }
    assertEquals(
      appends,
      Seq(
        s"nightly: append to ${w.path}: step 1",
        s"nightly: append to ${w.path}: step 2",
        "nightly: merge 2 into one of level 1: 120000 rows"
      )
    )
    val answers = described(check(warehouse.quantile(phis), truth(rows(1).union(rows(2)), Seq("k"), "v"), 1))
    assert(
      answers.exists(text =>
        text.startsWith(s"warehouse_quantile of ${warehouse.path}, pass 1: ") && text.endsWith(
          "of 1200 answers"
        )
      ),
      answers.toString
    )
    // few positions are read without a job
    assertEquals(described(warehouse.quantile(phis).where("k = 7").collect()).filter(_.contains("pass")), Nil)
  }

  test("a cancelled query ends, and leaves nothing behind") {
    val before = files(warehouse.path.toUri.getPath).toSet
    val asked = warehouse.quantile(Seq(Phi(0.5)))
    context.setJobGroup("chronosketch cancelled", "a question")
    context.cancelJobGroupAndFutureJobs("chronosketch cancelled")
    try {
      val cancelled = intercept[SparkException](asked.collect())
      assertEquals(cancelled.getCondition, "SPARK_JOB_CANCELLED")
      assertEquals(context.getLocalProperty(Description), "a question")
    } finally context.clearJobGroup()
    // the same query can be run again
    check(asked, truth(rows(1).union(rows(2)), Seq("k"), "v"), 1)
    val few = asked.where("k = 7")
    Thread.currentThread.interrupt()
    // munit's intercept only catches NonFatal exceptions
    val isCancelled =
      try { few.collect(); false }
      catch { case _: InterruptedException => true }
    assert(isCancelled && !Thread.interrupted())
    assertEquals(few.count(), 1L)
    assertEquals(files(warehouse.path.toUri.getPath).toSet, before)
  }
}
