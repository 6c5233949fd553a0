package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.command.SetCommand
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, TimestampNTZType, TimestampType}

import chronosketch.spark.aggregate.QloveSketchAggregate
import chronosketch.spark.hopping.panes.{PaneNumber, WindowAssigner}
import chronosketch.spark.sql.{Arguments, Conditions, SparkPrivates}

/** Merges `GROUP BY window(time, size, slide)` from panes, as `hopping` does, if the session's settings say so.
  *
  * Spark's analysis turns such a window into copies of each row, one for each window that the row is in. This rule runs right after the
  * analysis, before any other rule changes the copies. If it leaves an aggregation unchanged, EXPLAIN says why.
  */
object HoppingRewrite extends Rule[LogicalPlan] {

  /** With more panes per slide, rows have few copies and panes few rows, so that merging panes gains nothing. */
  private val MostPanesASlide = 60L

  private val reason = TreeNodeTag[String]("chronosketch.hopping.reason")

  /** Why an aggregation was left to Spark. */
  def whyNot(aggregate: Aggregate): Option[String] =
    if (HoppingConf.rewrites) aggregate.getTagValue(reason) else None

  /** Records why an aggregation is left to Spark, for EXPLAIN. */
  private[hopping] def leave(aggregate: Aggregate, why: String): Unit = aggregate.setTagValue(reason, why)

  def apply(plan: LogicalPlan): LogicalPlan =
    if (!HoppingConf.rewrites) plan
    else
      plan.transformUpWithSubqueries {
        case aggregate @ Aggregate(keys, _, Filter(_, copies: Expand), _)
            if !aggregate.isStreaming && keys.exists(isWindowOf(copies, _)) =>
          rewritten(aggregate, copies).fold(
            why => {
              leave(aggregate, why)
              aggregate
            },
            identity
          )
      }

  private def isWindowOf(copies: Expand, key: Expression): Boolean = key match {
    case a: Attribute =>
      copies.output.headOption.exists(_.exprId == a.exprId) && a.metadata.contains(TimeWindow.marker)
    case _ => false
  }

  private def rewritten(aggregate: Aggregate, copies: Expand): Either[String, LogicalPlan] = {
    val window = copies.output.head
    val keys = aggregate.groupingExpressions.filterNot(isWindowOf(copies, _))
    val functions = aggregate.aggregateExpressions.flatMap(_.collect { case a: AggregateExpression => a })
    def readsWindow(e: Expression): Boolean = e.references.contains(window)
    for {
      timeAndWindows <- windowsOf(copies.projections.map(_.head)).toRight("its windows are not known")
      (time, assigner) = timeAndWindows
      _ <- HoppingSketch.whyNot(assigner, MostPanesASlide).toLeft(())
      _ <- keys.find(readsWindow).map(k =>
        s"${Arguments.unqualified(k)} is another key of the window"
      ).toLeft(())
      _ <- functions.find(readsWindow).map(f => s"${text(f)} reads the window").toLeft(())
      _ <- functions.find(!isSupported(_)).map(f => s"${text(f)} can't be merged from panes").toLeft(())
    } yield {
      val pane = PaneNumber(time, assigner.pane, assigner.origin)
      val byPane = aggregate.copy(
        groupingExpressions = keys :+ pane,
        aggregateExpressions = aggregate.aggregateExpressions :+ Alias(pane, "pane")(),
        child = Filter(IsNotNull(time), copies.child)
      )
      new HoppingPlan(byPane, assigner, aggregate.origin).inPlaceOf(aggregate.aggregateExpressions, window)
    }
  }

  private def text(f: AggregateExpression): String = Arguments.unqualified(f)

  // a qlove sketch of a window differs from one merged from its panes, because panes are finished one by one
  private def isSupported(f: AggregateExpression): Boolean =
    !f.isDistinct && !f.aggregateFunction.isInstanceOf[QloveSketchAggregate] &&
      PaneAggregates.of(f.aggregateFunction).nonEmpty

  /** The time column and the windows of the copies, derived by evaluating the windows of time 0. */
  private def windowsOf(copies: Seq[Expression]): Option[(Expression, WindowAssigner)] = {
    val times = copies.flatMap(_.collect {
      case PreciseTimestampConversion(time, from, _) if isTime(from) => time
    })
    if (times.isEmpty || !times.head.deterministic || !times.forall(_.semanticEquals(times.head))) None
    else {
      val windows = copies.map(_.transformDown {
        case PreciseTimestampConversion(_, from, to) if isTime(from) => Literal(0L, to)
      })
      if (windows.length < 2 || !windows.forall(_.references.isEmpty)) None
      else {
        val bounds = windows.map(_.eval()).collect { case row: InternalRow =>
          (row.getLong(0), row.getLong(1))
        }
        val (start, end) = bounds.head
        val slide = start - bounds(1)._1
        Some((times.head, WindowAssigner(end - start, slide, Math.floorMod(start, slide))))
      }
    }
  }

  private def isTime(dataType: DataType): Boolean =
    dataType == TimestampType || dataType == TimestampNTZType
}

/** Stands in for [[HoppingRewrite]] in a session that was attached: Spark adds that rule only to a session that starts.
  *
  * `SET` of [[HoppingConf.Rewrite]] is refused. `spark.conf.set` runs no plan, and the check of a setting doesn't know whose setting it is,
  * so it can't be refused. Spark then runs the aggregations itself, and EXPLAIN says why.
  */
object MissingRewrite extends Rule[LogicalPlan] {
  private val why =
    "chronosketch was attached to this session when it was running already; spark.newSession() has the rewrite"

  def apply(plan: LogicalPlan): LogicalPlan = {
    if (isSetting(plan) && !isInstalled)
      throw Conditions.analysisError(
        "CHRONOSKETCH_HOPPING_REWRITE",
        plan.origin,
        "setting" -> HoppingConf.Rewrite
      )
    if (HoppingConf.rewrites && !isInstalled)
      plan.foreach {
        case aggregate: Aggregate if isHopping(aggregate) => HoppingRewrite.leave(aggregate, why)
        case _ =>
      }
    plan
  }

  private def isSetting(plan: LogicalPlan): Boolean = plan match {
    case SetCommand(Some((HoppingConf.Rewrite, Some(value)))) => value.trim.toBooleanOption.contains(true)
    case _ => false
  }

  private def isHopping(aggregate: Aggregate): Boolean =
    !aggregate.isStreaming && aggregate.groupingExpressions.exists(isHoppingWindow(_, aggregate.child))

  /** Spark's analysis marks windows, and expands rows to copies if windows overlap. */
  private def isHoppingWindow(key: Expression, rows: LogicalPlan): Boolean = key match {
    case a: Attribute if a.metadata.contains(TimeWindow.marker) =>
      rows.exists {
        case copies: Expand => copies.output.exists(_.exprId == a.exprId)
        case _ => false
      }
    case _ => false
  }

  /** Whether the session has the rewrite. A clone of an attached session, which Spark makes for streams and caches, has it. */
  private def isInstalled: Boolean =
    SparkSession.active.sessionState.planNormalizationRules.contains(HoppingRewrite)
}

/** The settings of hopping windows. Spark knows them like its own and refuses a wrong value when it is set. */
object HoppingConf {
  val Rewrite = "spark.chronosketch.hopping.rewrite"

  private lazy val declared: Unit = SparkPrivates.declareBoolean(
    Rewrite,
    "When true, GROUP BY window(time, size, slide) of a table merges windows from panes instead of copying each row into all its windows, " +
      "if all its aggregates can be merged from those of panes.",
    "0.1.0",
    false
  )

  /** Declares the settings to Spark. */
  def register(): Unit = declared

  def rewrites: Boolean = SQLConf.get.getConfString(Rewrite, "false").toBoolean
}
