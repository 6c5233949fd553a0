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
import chronosketch.spark.hopping.panes.{PaneNumber, WindowAssigner}
import chronosketch.spark.sql.{Arguments, Conditions, Span}

/** The table function `hopping`: aggregates over windows of one size that start every `slide`. It reads each row once.
  *
  * Spark's table functions take no columns, so columns and aggregates are given as text. Spark itself analyses the resulting aggregation
  * by pane: an unknown column gives Spark's usual error.
  */
object HoppingSketch {
  val Name = "hopping"

  /** An older name. It stays, because queries have it. The function returns aggregates, which need not be sketches. */
  val OlderName = "hopping_sketch"

  /** With shorter panes, or more of them, merging panes costs as much as aggregating rows. */
  private val ShortestPane = 1000L
  private val MostPanes = 1000000L

  /** The plan of a call. Its arguments are input, event_time, size, slide, aggs, by and structure. */
  def of(arguments: Seq[Expression]): LogicalPlan = {
    val rows = table(arguments(0))
    val time = parsed(text("event_time", arguments(1)), arguments(1))
    val assigner = assignerOf(size = arguments(2), slide = arguments(3))
    val aggs = texts("aggs", arguments(4)).map(parsed(_, arguments(4)))
    val keys = texts("by", arguments(5)).map(parsed(_, arguments(5)))
    if (aggs.nonEmpty)
      of(Aggregate(keys.map(unnamed), (keys ++ aggs).map(named), rows), time, assigner, arguments)
    else
      rows match {
        case aggregate: Aggregate if keys.isEmpty => of(aggregate, time, assigner, arguments)
        case _ =>
          refuse(
            "aggs",
            "aggregates, as in array('count(*) AS n'), unless the input is a GROUP BY query",
            arguments(4)
          )
      }
  }

  private def of(
      aggregate: Aggregate,
      time: Expression,
      assigner: WindowAssigner,
      arguments: Seq[Expression]
  ): LogicalPlan = {
    val pane = PaneNumber(time, assigner.pane)
    val byPane = Aggregate(
      aggregate.groupingExpressions :+ pane,
      aggregate.aggregateExpressions :+ Alias(pane, "pane")(),
      Filter(IsNotNull(time), aggregate.child)
    )
    HoppingPlan.of(analysed(byPane, arguments(4)), assigner, arguments)
  }

  private def table(input: Expression): LogicalPlan = input match {
    case t: FunctionTableSubqueryArgumentExpression
        if !t.hasRepartitioning && t.orderByExpressions.isEmpty => itself(t.plan)
    case _ => refuse("input", "TABLE(name) or TABLE(SELECT ...), without PARTITION BY and ORDER BY", input)
  }

  /** The aggregation behind views and aliases. Any other input is returned unchanged, with its alias. */
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

  private def assignerOf(size: Expression, slide: Expression): WindowAssigner = {
    val assigner = WindowAssigner(micros("size", size), micros("slide", slide))
    def refused(condition: String, parameters: (String, String)*): Nothing =
      throw Conditions.analysisError(
        condition,
        slide.origin,
        Seq(
          "function" -> Name,
          "size" -> shown(assigner.size),
          "slide" -> shown(assigner.slide)
        ) ++ parameters: _*
      )
    if (assigner.slide > assigner.size) refused("CHRONOSKETCH_HOPPING_GAPS")
    if (!hasFewPanes(assigner)) {
      refused(
        "CHRONOSKETCH_HOPPING_PANES",
        "pane" -> shown(assigner.pane),
        "panes" -> assigner.panes.toString,
        "shortest" -> shown(ShortestPane),
        "most" -> MostPanes.toString
      )
    }
    assigner
  }

  private def hasFewPanes(assigner: WindowAssigner): Boolean =
    assigner.pane >= ShortestPane && assigner.panes <= MostPanes

  /** Why windows can't or should not be merged from panes. None if they should. */
  private[spark] def whyNot(assigner: WindowAssigner, mostPanesASlide: Long): Option[String] =
    if (assigner.slide > assigner.size) Some("its windows leave gaps")
    else
      Option.when(!hasFewPanes(assigner) || assigner.step > mostPanesASlide)(
        s"its windows would have ${assigner.panes} panes of ${shown(assigner.pane)} each"
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

  private[hopping] def text(argument: String, e: Expression): String =
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

  private[hopping] def refuse(argument: String, required: String, e: Expression): Nothing =
    throw Conditions.analysisError(
      "CHRONOSKETCH_HOPPING_ARGUMENT",
      e.origin,
      "function" -> Name,
      "argument" -> argument,
      "required" -> required,
      "sql" -> toSQLExpr(e)
    )

  private def parsed(text: String, argument: Expression): Expression =
    try CatalystSqlParser.parseExpression(text)
    catch {
      case NonFatal(_) =>
        throw Conditions.analysisError(
          "CHRONOSKETCH_HOPPING_SYNTAX",
          argument.origin,
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
      case _ => refuse("aggs", "aggregates that do not refer to each other", aggs)
    }
  }
}
