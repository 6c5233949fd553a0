package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.Cast.{toSQLExpr, toSQLType}
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction, Complete}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.types._

import chronosketch.spark.hopping.panes.{Hop, HoppingWindows}
import chronosketch.spark.hopping.stream.{StreamStart, StreamedWindows}
import chronosketch.spark.sql.{Arguments, Conditions}

/** An aggregation by keys and pane, as the plan that answers it for windows: the aggregates' parts for each pane, what makes those
  * of a window from them, and the answers.
  *
  * @param byPane what was asked, analysed; the last key is the [[Pane]], and so is the last column
  * @param origin of the text that asked
  */
private[spark] final class Windows(byPane: Aggregate, hop: Hop, origin: Origin) {
  private val keys = byPane.groupingExpressions.init
  private val pane = byPane.groupingExpressions.last
  private val time = pane.children.head

  // the columns before the window, and those after it
  private val (asked, ofKeys) =
    byPane.aggregateExpressions.init.partition(_.exists(_.isInstanceOf[AggregateExpression]))

  private val aggregates: Seq[AggregateExpression] =
    asked.flatMap(_.collect { case a: AggregateExpression => a })
      .foldLeft(Seq.empty[AggregateExpression]) { (distinct, a) =>
        if (distinct.exists(_.semanticEquals(a))) distinct else distinct :+ a
      }

  private val parts: Seq[Parts] = aggregates.map { a =>
    if (a.isDistinct) refuse(a)
    Parts.of(a.aggregateFunction).getOrElse(refuse(a))
  }

  private def refuse(a: AggregateExpression): Nothing = throw Conditions.analysisError(
    "CHRONOSKETCH_HOPPING_AGGREGATE",
    origin,
    "function" -> HoppingSketch.Name,
    "sql" -> Arguments.unqualified(a),
    "covered" -> Parts.Covered
  )

  /** Names of the plan's own for columns between its aggregations. */
  private def keyName(i: Int): String = s"key_$i"
  private def partName(aggregate: Int, part: Int): String = s"part_${aggregate}_$part"
  private val PaneName = "pane"
  private val WindowName = "window"

  /** The parts of each pane. */
  private def panes(pane: Expression): Aggregate = {
    Aggregate(
      keys :+ pane,
      keys.zipWithIndex.map { case (key, i) => Alias(key, keyName(i))() } ++
        Seq(Alias(pane, PaneName)()) ++
        aggregates.zip(parts).zipWithIndex.flatMap { case ((a, p), i) =>
          p.panes.zipWithIndex.map { case (function, j) =>
            Alias(AggregateExpression(function, Complete, isDistinct = false, a.filter), partName(i, j))()
          }
        },
      byPane.child
    )
  }

  /** What makes a window's parts of those of its panes, under the same names. */
  private def merges(
      part: (Int, Int) => Expression
  )(called: AggregateFunction => Expression): Seq[Alias] =
    parts.zipWithIndex.flatMap { case (p, i) =>
      p.merges.zipWithIndex.map { case (merge, j) => Alias(called(merge(part(i, j))), partName(i, j))() }
    }

  /** The function's columns, from a window's parts. */
  private def answers(windows: LogicalPlan, window: Expression)(
      key: Int => Expression,
      part: (Int, Int) => Expression
  ): LogicalPlan = {
    def named(column: NamedExpression): NamedExpression = answered(column, key, part) match {
      case Alias(child, name) => Alias(child, name)()
      case other => Alias(other, column.name)()
    }
    Project((ofKeys.map(named) :+ Alias(window, WindowName)()) ++ asked.map(named), windows)
  }

  private def answered(
      column: Expression,
      key: Int => Expression,
      part: (Int, Int) => Expression
  ): Expression = column.transformDown {
    case a: AggregateExpression =>
      val i = aggregates.indexWhere(_.semanticEquals(a))
      parts(i).answer(parts(i).merges.indices.map(part(i, _)))
    case e if keys.exists(_.semanticEquals(e)) => key(keys.indexWhere(_.semanticEquals(e)))
  }

  /** Panes sorted by time, each window slid from the one before. */
  private def slid: HoppingWindows = {
    val made = panes(pane)
    val column = made.output.map(c => c.name -> c).toMap
    def bound(name: String) = AttributeReference(name, time.dataType)()
    val merging = merges((i, j) => column(partName(i, j)))(identity)
    HoppingWindows(
      keys.indices.map(i => column(keyName(i))),
      column(PaneName),
      hop,
      bound("start"),
      bound("end"),
      merging.map(_.child),
      merging.map(_.toAttribute),
      made
    )
  }

  private def windowOf(windows: HoppingWindows): Expression =
    CreateNamedStruct(Seq(windows.start, windows.end).flatMap(b => Seq(Literal(b.name), b)))

  def ofTable: LogicalPlan = {
    val windows = slid
    val merged = windows.output.map(c => c.name -> c).toMap
    answers(windows, windowOf(windows))(i => merged(keyName(i)), (i, j) => merged(partName(i, j)))
  }

  /** The columns of an aggregation by keys and a window of Spark's, as they are known to what is over it. */
  def inPlaceOf(columns: Seq[NamedExpression], window: Attribute): LogicalPlan = {
    val windows = slid
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

  def ofStream: LogicalPlan =
    StreamedWindows.whyNot(keys, time, aggregates.map(_.aggregateFunction)).fold(keptByKey) { why =>
      val windows = chained
      windows.setTagValue(StreamStart.whyChained, why)
      windows
    }

  /** Panes are kept a key, and windows merged from them when they are due. */
  private def keptByKey: LogicalPlan = {
    val named = keys.zipWithIndex.map { case (key, i) => Alias(key, keyName(i))() }
    val functions = parts.zipWithIndex.flatMap { case (p, i) =>
      p.panes.zipWithIndex.map { case (function, j) => Alias(function, partName(i, j))() }
    }
    val filters = aggregates.zip(parts).flatMap { case (a, p) =>
      p.panes.map(_ => a.filter.getOrElse(TrueLiteral))
    }
    val windows = StreamedWindows(
      named,
      time,
      hop,
      functions,
      filters,
      parts.flatMap(_.merges),
      WindowName,
      byPane.child
    )
    val column = windows.output.map(c => c.name -> c).toMap
    answers(windows, column(WindowName))(i => column(keyName(i)), (i, j) => column(partName(i, j)))
  }

  /** Two aggregations, one of the other's groups: Spark keeps the state of both, and its watermark closes both. */
  private def chained: LogicalPlan = {
    def named(name: String) = UnresolvedAttribute(Seq(name))
    val window = TimeWindow(named(PaneName), hop.size, hop.slide, 0L)
    val groups = keys.indices.map(i => named(keyName(i)))
    val windows = Aggregate(
      groups :+ window,
      groups ++ Seq(Alias(window, WindowName)()) ++
        merges((i, j) => named(partName(i, j)))(AggregateExpression(_, Complete, isDistinct = false)),
      panes(TimeWindow(time, hop.pane, hop.pane, 0L))
    )
    answers(windows, named(WindowName))(i => named(keyName(i)), (i, j) => named(partName(i, j)))
  }
}

private[spark] object Windows {

  /** The windows of a table or a stream. */
  def of(byPane: Aggregate, hop: Hop, arguments: Seq[Expression]): LogicalPlan = {
    val when = byPane.groupingExpressions.last.children.head
    when.dataType match {
      case TimestampType | TimestampNTZType =>
      case other => throw Conditions.analysisError(
          "CHRONOSKETCH_UNSUPPORTED_TIME",
          arguments(1).origin,
          "function" -> HoppingSketch.Name,
          "argument" -> "event_time",
          "sql" -> toSQLExpr(when),
          "type" -> toSQLType(other),
          "hint" -> s"Windows of time are of TIMESTAMP and TIMESTAMP_NTZ: CAST(${Arguments.unqualified(when)} AS TIMESTAMP)."
        )
    }
    val windows = new Windows(byPane, hop, arguments(4).origin)
    if (byPane.isStreaming) windows.ofStream else windows.ofTable
  }
}
