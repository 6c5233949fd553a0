package chronosketch.spark.hopping

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.Cast.{toSQLExpr, toSQLType}
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction, Complete}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types._

import chronosketch.spark.hopping.panes.{HoppingWindows, WindowAssigner}
import chronosketch.spark.hopping.stream.StreamedWindows
import chronosketch.spark.sql.{Arguments, Conditions}
import chronosketch.spark.state.StateDescription

/** Turns an aggregation by keys and pane into the plan of windows. The plan computes the parts of each aggregate for each pane, merges
  * them into the parts of each window, and computes the answers from these.
  *
  * @param byPane the analysed aggregation; its last key and its last column are the [[panes.PaneNumber]]
  * @param origin the position of the aggregates in the SQL text, for errors
  */
private[spark] final class HoppingPlan(byPane: Aggregate, assigner: WindowAssigner, origin: Origin) {
  private val keys = byPane.groupingExpressions.init
  private val pane = byPane.groupingExpressions.last
  private val time = pane.children.head

  // the window's column is placed between the columns of keys and those of aggregates
  private val (aggregateColumns, keyColumns) =
    byPane.aggregateExpressions.init.partition(_.exists(_.isInstanceOf[AggregateExpression]))

  private val aggregates: Seq[AggregateExpression] =
    aggregateColumns.flatMap(_.collect { case a: AggregateExpression => a })
      .foldLeft(Seq.empty[AggregateExpression]) { (distinct, a) =>
        if (distinct.exists(_.semanticEquals(a))) distinct else distinct :+ a
      }

  private lazy val fromPanes: Seq[PaneAggregates] = aggregates.map { a =>
    if (a.isDistinct) refuse(a)
    PaneAggregates.of(a.aggregateFunction).getOrElse(refuse(a))
  }

  private def refuse(a: AggregateExpression): Nothing = throw Conditions.analysisError(
    "CHRONOSKETCH_HOPPING_AGGREGATE",
    origin,
    "function" -> HoppingSketch.Name,
    "sql" -> Arguments.unqualified(a),
    "covered" -> PaneAggregates.Supported
  )

  /** The names of columns between the aggregations. They are part of stored state and must not change. */
  private def keyName(i: Int): String = s"key_$i"
  private def partName(aggregate: Int, part: Int): String = s"part_${aggregate}_$part"
  private val PaneName = "pane"
  private val WindowName = "window"

  /** The aggregation that computes the parts of each pane. */
  private def panes(pane: Expression): Aggregate = {
    Aggregate(
      keys :+ pane,
      keys.zipWithIndex.map { case (key, i) => Alias(key, keyName(i))() } ++
        Seq(Alias(pane, PaneName)()) ++
        aggregates.zip(fromPanes).zipWithIndex.flatMap { case ((a, p), i) =>
          p.parts.zipWithIndex.map { case (function, j) =>
            Alias(AggregateExpression(function, Complete, isDistinct = false, a.filter), partName(i, j))()
          }
        },
      byPane.child
    )
  }

  /** The functions that merge the parts of panes into a window's parts, under the same names. */
  private def merges(
      part: (Int, Int) => Expression
  )(called: AggregateFunction => Expression): Seq[Alias] =
    fromPanes.zipWithIndex.flatMap { case (p, i) =>
      p.merges.zipWithIndex.map { case (merge, j) => Alias(called(merge(part(i, j))), partName(i, j))() }
    }

  /** The output columns of `hopping`, computed from a window's parts. */
  private def answers(windows: LogicalPlan, window: Expression)(
      key: Int => Expression,
      part: (Int, Int) => Expression
  ): LogicalPlan = {
    def named(column: NamedExpression): NamedExpression = answered(column, key, part) match {
      case Alias(child, name) => Alias(child, name)()
      case other => Alias(other, column.name)()
    }
    Project((keyColumns.map(named) :+ Alias(window, WindowName)()) ++ aggregateColumns.map(named), windows)
  }

  private def answered(
      column: Expression,
      key: Int => Expression,
      part: (Int, Int) => Expression
  ): Expression = column.transformDown {
    case a: AggregateExpression =>
      val i = aggregates.indexWhere(_.semanticEquals(a))
      fromPanes(i).answer(fromPanes(i).merges.indices.map(part(i, _)))
    case e if keys.exists(_.semanticEquals(e)) => key(keys.indexWhere(_.semanticEquals(e)))
  }

  /** The windows of a table, merged from its panes. */
  private def mergedWindows: HoppingWindows = {
    val child = panes(pane)
    val column = child.output.map(c => c.name -> c).toMap
    def bound(name: String) = AttributeReference(name, time.dataType)()
    val merging = merges((i, j) => column(partName(i, j)))(identity)
    HoppingWindows(
      keys.indices.map(i => column(keyName(i))),
      column(PaneName),
      assigner,
      bound("start"),
      bound("end"),
      merging.map(_.child),
      merging.map(_.toAttribute),
      child
    )
  }

  private def windowOf(windows: HoppingWindows): Expression =
    CreateNamedStruct(Seq(windows.start, windows.end).flatMap(b => Seq(Literal(b.name), b)))

  def tableWindows: LogicalPlan = {
    val windows = mergedWindows
    val merged = windows.output.map(c => c.name -> c).toMap
    answers(windows, windowOf(windows))(i => merged(keyName(i)), (i, j) => merged(partName(i, j)))
  }

  /** The columns of an aggregation by keys and Spark's own window. They keep their ids, which the plan above refers to. */
  def inPlaceOf(columns: Seq[NamedExpression], window: Attribute): LogicalPlan = {
    val windows = mergedWindows
    val merged = windows.output.map(c => c.name -> c).toMap
    Project(
      columns.map { column =>
        val answer = answered(column, i => merged(keyName(i)), (i, j) => merged(partName(i, j)))
          .transform { case a: Attribute if a.exprId == window.exprId => windowOf(windows) }
        answer match {
          case alias: Alias => alias
          case other => Alias(other, column.name)(column.exprId, column.qualifier, Some(column.metadata))
        }
      },
      windows
    )
  }

  def streamWindows: LogicalPlan =
    StreamedWindows.whyNot(keys, time, aggregates.map(_.aggregateFunction)).fold(keptByKey) { why =>
      val windows = chained
      windows.setTagValue(StreamStart.whyChained, why)
      windows
    }

  /** Aggregates each window from its rows. Spark's analysis still has to resolve this plan. */
  def recomputed: LogicalPlan = {
    val window = TimeWindow(time, assigner.size, assigner.slide, 0L)
    Aggregate(keys :+ window, (keyColumns :+ Alias(window, WindowName)()) ++ aggregateColumns, byPane.child)
  }

  /** Keeps panes for each key, and merges windows from them when they are due. */
  private def keptByKey: LogicalPlan = {
    val named = keys.zipWithIndex.map { case (key, i) => Alias(key, keyName(i))() }
    val functions = fromPanes.zipWithIndex.flatMap { case (p, i) =>
      p.parts.zipWithIndex.map { case (function, j) => Alias(function, partName(i, j))() }
    }
    val filters = aggregates.zip(fromPanes).flatMap { case (a, p) =>
      p.parts.map(_ => a.filter.getOrElse(TrueLiteral))
    }
    val windows = StreamedWindows(
      named,
      time,
      assigner,
      functions,
      filters,
      fromPanes.flatMap(_.merges),
      WindowName,
      byPane.child
    )
    val column = windows.output.map(c => c.name -> c).toMap
    answers(windows, column(WindowName))(i => column(keyName(i)), (i, j) => column(partName(i, j)))
  }

  /** Aggregates rows by pane, and panes by window. Spark keeps the state of both aggregations, and its watermark closes both. */
  private def chained: LogicalPlan = {
    def named(name: String) = UnresolvedAttribute(Seq(name))
    val window = TimeWindow(named(PaneName), assigner.size, assigner.slide, 0L)
    val groups = keys.indices.map(i => named(keyName(i)))
    val windows = Aggregate(
      groups :+ window,
      groups ++ Seq(Alias(window, WindowName)()) ++
        merges((i, j) => named(partName(i, j)))(AggregateExpression(_, Complete, isDistinct = false)),
      panes(TimeWindow(time, assigner.pane, assigner.pane, 0L))
    )
    Seq(windows, windows.child).foreach(_.expressions.foreach(_.foreach {
      case call: AggregateExpression => StateDescription.mark(call.aggregateFunction)
      case _ =>
    }))
    answers(windows, named(WindowName))(i => named(keyName(i)), (i, j) => named(partName(i, j)))
  }
}

private[spark] object HoppingPlan {

  /** The windows of a table or a stream. */
  def of(byPane: Aggregate, assigner: WindowAssigner, arguments: Seq[Expression]): LogicalPlan = {
    val when = byPane.groupingExpressions.last.children.head
    if (when.dataType != TimestampType && when.dataType != TimestampNTZType)
      throw Conditions.analysisError(
        "CHRONOSKETCH_HOPPING_TIME",
        arguments(1).origin,
        "function" -> HoppingSketch.Name,
        "sql" -> toSQLExpr(when),
        "type" -> toSQLType(when.dataType),
        "hint" -> hint(when)
      )
    val windows = new HoppingPlan(byPane, assigner, arguments(4).origin)
    structureOf(arguments(6)) match {
      case HoppingStructure.Auto if !byPane.isStreaming && assigner.size == assigner.slide =>
        // planned for its errors alone: they must not depend on whether windows overlap
        windows.tableWindows
        windows.recomputed
      case HoppingStructure.ExpirationList => windows.recomputed
      case HoppingStructure.Auto | HoppingStructure.Panes =>
        if (byPane.isStreaming) windows.streamWindows else windows.tableWindows
    }
  }

  private def structureOf(named: Expression): HoppingStructure = {
    val name = HoppingSketch.text("structure", named).toLowerCase(Locale.ROOT)
    HoppingStructure.whyNot(name).foreach { because =>
      throw Conditions.analysisError(
        "CHRONOSKETCH_HOPPING_STRUCTURE",
        named.origin,
        "function" -> HoppingSketch.Name,
        "structure" -> name,
        "because" -> because
      )
    }
    HoppingStructure.of(name).getOrElse(
      HoppingSketch.refuse(
        "structure",
        HoppingStructure.names.map(n => s"'$n'").mkString("one of ", ", ", ""),
        named
      )
    )
  }

  private def hint(time: Expression): String = {
    val sql = Arguments.unqualified(time)
    time.dataType match {
      case DateType => s"Use the midnight of each day: CAST($sql AS TIMESTAMP)."
      case _: StringType => s"If it holds times, use CAST($sql AS TIMESTAMP)."
      case _: NumericType => s"If it counts seconds, use timestamp_seconds($sql)."
      case _ => "Choose the column that says when a row happened."
    }
  }
}

/** The structure that computes the windows of a query. */
private[spark] sealed abstract class HoppingStructure(val name: String)

private[spark] object HoppingStructure {

  /** Aggregates each row in one pane, and merges windows from panes. */
  case object Panes extends HoppingStructure("panes")

  /** Copies each row into all its windows and aggregates each window from its rows, as Spark's `GROUP BY window(...)` does. */
  case object ExpirationList extends HoppingStructure("expiration_list")

  /** Uses the list for windows of a table that do not overlap. Then each row is in one window, and merging panes is extra work. With
    * 10 000 keys the list took half the time, with 10 keys at most a sixth more (benchmarks/results/spark_hopping_structures.md).
    * Uses panes otherwise, and for streams: panes are their state, which has no more rows than windows would.
    */
  case object Auto extends HoppingStructure("auto")

  private val all: Seq[HoppingStructure] = Seq(Auto, Panes, ExpirationList)

  /** The values of the argument. */
  val names: Seq[String] = all.map(_.name)

  /** The other structures of sliding frames, and why they can't compute windows. */
  private val declined: Map[String, String] = {
    val sums = "panes keep exact counts, sums and moments in no more memory"
    val samples = "samples come from sketches of panes, as of sample_sketch_agg(value)"
    val quantiles = "quantiles come from sketches of panes, as of quantile_sketch_agg(value, epsilon)"
    val merging = "windows are always made from panes with two stacks"
    Seq("exponential_histogram", "variance_histogram").map(_ -> sums) ++
      Seq("bernoulli", "priority", "bounded_priority", "biased_reservoir").map(_ -> samples) ++
      Seq(
        "arasu_manku",
        "arasu_manku_variable",
        "cmqs",
        "greenwald_khanna",
        "block_sort"
      ).map(_ -> quantiles) ++
      Seq("two_stacks", "daba").map(_ -> merging)
  }.toMap

  /** Why a structure can't compute windows. None if no structure of sliding frames has this name. */
  def whyNot(name: String): Option[String] = declined.get(name)

  /** The structure of this name. */
  def of(name: String): Option[HoppingStructure] = all.find(_.name == name)
}
