package chronosketch.spark.sliding.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, NamedExpression, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage
import org.apache.spark.sql.internal.SQLConf

import chronosketch.spark.sliding.SlidingConf
import chronosketch.spark.sliding.functions.SlidingCall
import chronosketch.spark.sliding.ranges.{HaloReach, RangeCut, RangeTable, Ranges}

/** How the rows of a window partition are distributed over tasks. */
sealed abstract class Placement extends Serializable

/** By the hash of the partition keys: a partition is in one task. */
case object Clustered extends Placement

/** All rows in one task: the query has no PARTITION BY, and its rows can't be cut into ranges. */
final case class OneTask(why: String) extends Placement

/** Cut into ranges by [[chronosketch.spark.sliding.ranges.SketchRangesExec]], which adds a column after the input's. */
final case class InRanges(cut: RangeCut) extends Placement

object Placement {

  /** The size of two ranges, at 64 bits a row. Smaller input is not worth reading twice. */
  private val FewestBytes = BigInt(16 * Ranges.FewestRows)

  /** Chooses the placement.
    *
    * @param calls  the sliding calls, grouped by operator
    * @param others the functions that Spark's own operator runs
    */
  def of(
      calls: Seq[Seq[SlidingCall]],
      others: Seq[NamedExpression],
      keys: Seq[Expression],
      order: Seq[SortOrder],
      child: LogicalPlan
  ): Placement =
    if (keys.isEmpty) cut(calls, others, order, child).fold(OneTask(_), InRanges(_))
    else if (SlidingConf.ranges <= 1 && !areFew(keys, child)) Clustered
    else cut(calls, others, order, child).fold(_ => Clustered, InRanges(_))

  /** Whether statistics show that there are too few groups to keep all tasks busy. */
  private def areFew(keys: Seq[Expression], child: LogicalPlan): Boolean =
    SlidingConf.ranges == 0 && {
      val statistics = child.stats.attributeStats
      val distinct = keys.map {
        case key: Attribute => statistics.get(key).flatMap(_.distinctCount)
        case _ => None
      }
      distinct.forall(_.nonEmpty) &&
      distinct.flatten.product * 2 <= math.min(RangeTable.MostGroups, SQLConf.get.numShufflePartitions)
    }

  private def cut(
      calls: Seq[Seq[SlidingCall]],
      others: Seq[NamedExpression],
      order: Seq[SortOrder],
      child: LogicalPlan
  ): Either[String, RangeCut] = {
    val forced = SlidingConf.ranges
    val most = if (forced > 0) forced else SQLConf.get.numShufflePartitions
    // adaptive execution plans again with better statistics: the placement must stay the same
    val input = child.transformUp { case stage: LogicalQueryStage => stage.logicalPlan }
    if (most == 1)
      Left(s"${if (forced > 0) SlidingConf.Ranges else SQLConf.SHUFFLE_PARTITIONS.key} is 1")
    else if (others.nonEmpty) Left(s"${others.head.name} in the same query needs all rows in one task")
    else if (calls.length > 1) Left("its functions need more than one operator")
    else if (!input.deterministic || input.exists(isChance))
      Left("its input could give different rows when it is read again")
    else if (forced == 0 && input.stats.sizeInBytes < FewestBytes) Left("its input is small")
    else HaloReach.of(calls.head.map(_.frame), order).map(RangeCut(_, most, forced > 0))
  }

  /** Whether a plan may return other rows when it runs again. */
  private def isChance(plan: LogicalPlan): Boolean = plan match {
    case _: GlobalLimit | _: LocalLimit | _: Offset | _: Tail | _: Sample => true
    case _ => false
  }
}
