package chronosketch.spark.sliding.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, NamedExpression, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.adaptive.LogicalQueryStage
import org.apache.spark.sql.internal.SQLConf

import chronosketch.spark.sliding.SlidingConf
import chronosketch.spark.sliding.functions.SlidingCall
import chronosketch.spark.sliding.ranges.{HaloReach, RangeCut, RangeTable, Ranges}

/** Where the rows of one partition of a window are. */
sealed abstract class Placement extends Serializable

/** Together with those of other partitions that hash alike. */
case object Clustered extends Placement

/** All in one task: there is no PARTITION BY, and the rows cannot be cut. */
final case class OneTask(why: String) extends Placement

/** Cut by [[chronosketch.spark.sliding.ranges.SketchRangesExec]], whose column comes after the input's. */
final case class InRanges(cut: RangeCut) extends Placement

object Placement {

  /** Two ranges' worth of rows, of 64 bits each: less is not worth reading twice. */
  private val FewestBytes = BigInt(16 * Ranges.FewestRows)

  /** @param calls  what slides, as many calls at a time as one operator runs
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

  /** Whether statistics say that the groups are fewer than the tasks that could work on them. */
  private def areFew(keys: Seq[Expression], child: LogicalPlan): Boolean =
    SlidingConf.ranges == 0 && {
      val known = child.stats.attributeStats
      val distinct = keys.map {
        case key: Attribute => known.get(key).flatMap(_.distinctCount)
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
    // adaptive, Spark asks again when it knows more: where rows go stays as it is
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

  /** Whether other rows may come out when a plan runs again. */
  private def isChance(plan: LogicalPlan): Boolean = plan match {
    case _: GlobalLimit | _: LocalLimit | _: Offset | _: Tail | _: Sample => true
    case _ => false
  }
}
