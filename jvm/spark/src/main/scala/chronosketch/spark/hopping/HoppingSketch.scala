package chronosketch.spark.hopping

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.QueryPlanningTracker
import org.apache.spark.sql.catalyst.analysis.UnresolvedAlias
import org.apache.spark.sql.catalyst.expressions.Cast.toSQLExpr
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._
import org.apache.spark.sql.{SparkSession, classic}

import chronosketch.domain.Domain
import chronosketch.spark.hopping.panes.{Hop, Pane}
import chronosketch.spark.sql.{Arguments, Conditions, Span}

/** The table function `hopping_sketch`: aggregates over windows of one length, one beginning every so often, each row touched once.
  *
  * Spark's table functions take no columns, so names and aggregates are text. It is analysed as the aggregation by panes that it
  * means, by Spark itself: an unknown column is the error that it is everywhere.
  */
object HoppingSketch {
  val Name = "hopping_sketch"

  /** Shorter panes, or more of them, would be rows again. */
  private val ShortestPane = 1000L
  private val MostPanes = 1000000L

  /** From the function's arguments: input, event_time, size, slide, aggs, by. */
  def of(arguments: Seq[Expression]): LogicalPlan = {
    val rows = table(arguments(0))
    val time = parsed(text("event_time", arguments(1)), arguments(1))
    val hop = hopOf(size = arguments(2), slide = arguments(3))
    val aggs = texts("aggs", arguments(4)).map(parsed(_, arguments(4)))
    val keys = texts("by", arguments(5)).map(parsed(_, arguments(5)))
    if (aggs.nonEmpty) of(Aggregate(keys.map(unnamed), (keys ++ aggs).map(named), rows), time, hop, arguments)
    else
      rows match {
        case aggregate: Aggregate if keys.isEmpty => of(aggregate, time, hop, arguments)
        case _ =>
          refuse(
            "aggs",
            "aggregates, as in array('count(*) AS n'), where the input is no GROUP BY",
            arguments(4)
          )
      }
  }

  private def of(asked: Aggregate, time: Expression, hop: Hop, arguments: Seq[Expression]): LogicalPlan = {
    val pane = Pane(time, hop.pane)
    val byPane = Aggregate(
      asked.groupingExpressions :+ pane,
      asked.aggregateExpressions :+ Alias(pane, "pane")(),
      Filter(IsNotNull(time), asked.child)
    )
    Windows.of(analysed(byPane, arguments(4)), hop, arguments)
  }

  private def table(input: Expression): LogicalPlan = input match {
    case t: FunctionTableSubqueryArgumentExpression
        if !t.hasRepartitioning && t.orderByExpressions.isEmpty => itself(t.plan)
    case _ => refuse("input", "TABLE(name) or TABLE(SELECT ...), without PARTITION BY and ORDER BY", input)
  }

  /** The aggregation that a view is, or a name stands for; all else as it is, under its name. */
  private def itself(plan: LogicalPlan): LogicalPlan = {
    def under(named: LogicalPlan): LogicalPlan = named match {
      case SubqueryAlias(_, child) => under(child)
      case view: View => under(view.child)
      case other => other
    }
    under(plan) match {
      case aggregate: Aggregate => aggregate
      case _ => plan
    }
  }

  private def hopOf(size: Expression, slide: Expression): Hop = {
    val hop = Hop(micros("size", size), micros("slide", slide))
    def refused(condition: String, parameters: (String, String)*): Nothing =
      throw Conditions.analysisError(
        condition,
        slide.origin,
        Seq("function" -> Name, "size" -> shown(hop.size), "slide" -> shown(hop.slide)) ++ parameters: _*
      )
    if (hop.slide > hop.size) refused("CHRONOSKETCH_HOPPING_GAPS")
    if (!hasFewPanes(hop)) {
      refused(
        "CHRONOSKETCH_HOPPING_PANES",
        "pane" -> shown(hop.pane),
        "panes" -> hop.panes.toString,
        "shortest" -> shown(ShortestPane),
        "most" -> MostPanes.toString
      )
    }
    hop
  }

  private def hasFewPanes(hop: Hop): Boolean = hop.pane >= ShortestPane && hop.panes <= MostPanes

  /** Why windows are not to be merged from panes. */
  private[spark] def whyNot(hop: Hop, mostPanesASlide: Long): Option[String] =
    if (hop.slide > hop.size) Some("its windows leave gaps")
    else
      Option.when(!hasFewPanes(hop) || hop.step > mostPanesASlide)(
        s"its windows have ${hop.panes} panes of ${shown(hop.pane)} each"
      )

  private def shown(micros: Long): String = Span.text(micros, Domain.Timestamp)

  private def micros(argument: String, e: Expression): Long = {
    if (!isConstant(e) || !Span.isType(e.dataType))
      refuse(argument, "a constant interval or its text, as in '10 minutes'", e)
    val span = Span.of(Name, argument, e)
    Conditions.analysing(Name, e.origin)(span.in(Domain.Timestamp))
  }

  private def isConstant(e: Expression): Boolean =
    e.resolved && e.foldable && Arguments.constant(e) != null

  private def text(argument: String, e: Expression): String =
    if (isConstant(e) && e.dataType.isInstanceOf[StringType]) Arguments.constant(e).toString
    else refuse(argument, "a constant STRING", e)

  private def texts(argument: String, e: Expression): Seq[String] =
    if (!isConstant(e)) refuse(argument, "a constant array of STRING", e)
    else
      e.dataType match {
        case ArrayType(_: StringType | NullType, _) =>
          val array = Arguments.constant(e).asInstanceOf[ArrayData]
          (0 until array.numElements()).map { i =>
            if (array.isNullAt(i)) refuse(argument, "an array without NULL", e)
            array.getUTF8String(i).toString
          }
        case _ => refuse(argument, "a constant array of STRING", e)
      }

  private def refuse(argument: String, required: String, e: Expression): Nothing =
    throw Conditions.analysisError(
      "CHRONOSKETCH_HOPPING_ARGUMENT",
      e.origin,
      "function" -> Name,
      "argument" -> argument,
      "required" -> required,
      "sql" -> toSQLExpr(e)
    )

  private def parsed(text: String, of: Expression): Expression =
    try CatalystSqlParser.parseExpression(text)
    catch {
      case NonFatal(_) =>
        throw Conditions.analysisError(
          "CHRONOSKETCH_HOPPING_SYNTAX",
          of.origin,
          "function" -> Name,
          "text" -> text
        )
    }

  private def named(e: Expression): NamedExpression = e match {
    case n: NamedExpression => n
    case other => UnresolvedAlias(other)
  }

  private def unnamed(e: Expression): Expression = e match {
    case Alias(child, _) => child
    case other => other
  }

  private def analysed(plan: Aggregate, aggs: Expression): Aggregate = {
    val session = SparkSession.active.asInstanceOf[classic.SparkSession]
    session.sessionState.analyzer.executeAndCheck(plan, new QueryPlanningTracker) match {
      case aggregate: Aggregate => aggregate
      case _ => refuse("aggs", "aggregates that do not name each other", aggs)
    }
  }
}
