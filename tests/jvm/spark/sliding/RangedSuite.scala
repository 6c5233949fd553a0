package chronosketch.spark.sliding

import org.apache.spark.sql.execution.SparkPlan

import chronosketch.spark.aggregate.operator.OperatorSuite

/** Windows that are cut into ranges, beside the same that are not. */
abstract class RangedSuite extends SlidingSuite {
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

  protected def assertSameInRanges(query: String, ranges: Seq[Int] = Seq(2, 7, 40)): Unit = {
    val whole = inOneTask(query)
    ranges.foreach(n => assertEqual(inRanges(n, query), whole, s"$n ranges: $query"))
  }
}
