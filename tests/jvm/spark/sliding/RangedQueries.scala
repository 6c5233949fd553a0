package chronosketch.spark.sliding

import org.apache.spark.sql.execution.SparkPlan

import chronosketch.spark.aggregate.operator.OperatorSuite
import chronosketch.spark.sliding.ranges.SketchRangesExec

/** Compares windows that are cut into ranges with the same windows in one task. */
trait RangedQueries extends SlidingQueries {
  protected def cuts(plan: SparkPlan): Seq[SketchRangesExec] =
    OperatorSuite.plans.collectWithSubqueries(plan) { case r: SketchRangesExec => r }

  protected def inRanges(ranges: Int, query: String): SlidingAnswers =
    withConf(SlidingConf.Ranges -> ranges.toString) {
      val answers = inOurs(sql(query))
      assert(cuts(answers.plan).nonEmpty, answers.plan.toString)
      answers
    }

  protected def inOneTask(query: String): SlidingAnswers = withConf(SlidingConf.Ranges -> "1") {
    val answers = inOurs(sql(query))
    assertEquals(cuts(answers.plan).size, 0)
    answers
  }

  protected def assertSameInRanges(query: String, ranges: Seq[Int]): Unit = {
    val whole = inOneTask(query)
    ranges.foreach(n => assertEqual(inRanges(n, query), whole, s"$n ranges: $query"))
  }

  /** Compares selected windows, each with its number of ranges, with all windows in one task. */
  protected def assertSameInRanges(windows: RangedWindows, chosen: Seq[(Seq[Int], Int)]): Unit = {
    val whole = inOneTask(windows.query(windows.all))
    chosen.foreach { case (which, ranges) =>
      val query = windows.query(which)
      val cut = inRanges(ranges, query)
      assertEqual(cut, whole.only(cut.schema.fieldNames.toSeq), s"$ranges ranges: $query")
    }
  }

}

/** Windows that can be queried one by one or together. One by one, no other window hides a halo that is too small.
  *
  * @param over the text inside of OVER (…) for each window
  */
final case class RangedWindows(name: String, over: Seq[String], table: String) {
  def all: Seq[Int] = over.indices

  /** A query of some windows, whose column names do not depend on the other windows. If all are selected, it returns all columns, too. */
  def query(which: Seq[Int]): String = {
    val asked = which.map(i => s"approx_quantile(v, 0.7) OVER (${over(i)}) AS q$i")
    s"SELECT ${if (which == all) "*" else "id"}, ${asked.mkString(", ")} FROM $table"
  }
}
