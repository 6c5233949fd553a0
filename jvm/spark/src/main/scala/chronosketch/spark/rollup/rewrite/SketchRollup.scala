package chronosketch.spark.rollup.rewrite

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, UnaryNode}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{SparkPlan, SparkStrategy, UnaryExecNode}

import chronosketch.spark.explain.{ExplainedExec, FallbackExec}

/** Describes for EXPLAIN what a query takes from a roll-up.
  *
  * @param rollupVersion
  *   the version of the roll-up's own table
  * @param builtFrom
  *   the source's version that the roll-up has
  * @param answers
  *   the source's version that the query reads
  * @param share
  *   the share of the query's range of time that whole buckets have, if the range is bounded
  * @param rest
  *   what the query reads from rows of the source
  */
final case class RollupUse(
    name: String,
    rollupVersion: Long,
    source: String,
    builtFrom: Long,
    answers: Long,
    levels: Seq[String],
    epsilon: Double,
    tail: Option[String],
    share: Option[Double],
    rest: Seq[String]
) {
  def lines: Seq[String] = Seq(
    s"rollup=$name@v$rollupVersion",
    s"levels=${levels.mkString("[", ", ", "]")}",
    s"source=$source@v$answers",
    s"fresh to=v$builtFrom",
    s"epsilon=$epsilon"
  ) ++ tail.map(t => s"tail=$t") ++ Seq(
    s"time from roll-up=${share.fold("all")(s => f"${s * 100}%.2f %%")}",
    s"from rows=${rest.mkString("[", ", ", "]")}"
  )
}

/** Marks a plan that answers an aggregation from a roll-up. No rule looks for aggregations below it again. */
final case class SketchRollup(use: RollupUse, child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): SketchRollup = copy(child = newChild)
}

/** Shows in EXPLAIN that the operators below it read a roll-up. Passes the rows of its child through. */
final case class SketchRollupExec(use: RollupUse, child: SparkPlan) extends UnaryExecNode with ExplainedExec {
  override def nodeName: String = "SketchRollup"
  override def output: Seq[Attribute] = child.output
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering
  override def outputPartitioning: Partitioning = child.outputPartitioning

  protected def doExecute(): RDD[InternalRow] = child.execute()

  protected def inTree: String = use.lines.mkString("(", ", ", ")")
  protected def lines: Seq[String] = use.lines

  override protected def withNewChildInternal(newChild: SparkPlan): SketchRollupExec = copy(child = newChild)
}

/** Plans aggregations that a roll-up answers, and shows why others are not answered. */
object RollupStrategy extends SparkStrategy {
  def apply(plan: LogicalPlan): Seq[SparkPlan] = plan match {
    case SketchRollup(use, child) => Seq(SketchRollupExec(use, planLater(child)))
    case aggregate: Aggregate =>
      RollupRewrite.whyNot(aggregate).toSeq.flatMap { why =>
        // not planLater of a copy: adaptive execution looks for this aggregate in the plan
        val others = SparkSession.active.sessionState.planner.strategies.iterator.filter(_ ne this)
        others.map(_(aggregate)).find(_.nonEmpty).toSeq.flatten.map(FallbackExec(Seq(why), _))
      }
    case _ => Nil
  }
}
