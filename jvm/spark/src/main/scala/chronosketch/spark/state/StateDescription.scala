package chronosketch.spark.state

import java.util.Locale

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Expand, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, TimestampNTZType, TimestampType}

import chronosketch.domain.Domain
import chronosketch.spark.aggregate.{ChronosketchAggregate, SketchColumn, SketchFunction}
import chronosketch.spark.sql.{Arguments, Span}

/** Describes what streaming aggregations keep in their state, so that [[StateCheck]] can compare it after a restart.
  *
  * It is a plan normalization rule: it sees each batch's plan after its analysis and before its optimization. The optimizer rewrites
  * expressions differently from batch to batch and between versions of Spark. The description travels to the physical plan as a tag of
  * the aggregate functions.
  */
object StateDescription extends Rule[LogicalPlan] {

  /** Describes a streaming aggregation.
    *
    * @param functions each by the id of its result. The optimizer may put another function in its place, under the same id
    */
  private[state] final case class Described(functions: Map[ExprId, StateEntry], keys: Seq[StateEntry])

  private[state] val described = TreeNodeTag[Described]("chronosketch.state.described")

  private val pane = TreeNodeTag[Unit]("chronosketch.state.pane")

  /** Marks a function whose aggregation hopping windows are made of: its state is ours to check, whatever function it is. */
  def mark(function: AggregateFunction): Unit = function.setTagValue(pane, ())

  def apply(plan: LogicalPlan): LogicalPlan = {
    if (plan.isStreaming) plan.foreach {
      case aggregate: Aggregate if aggregate.isStreaming =>
        val calls = aggregate.aggregateExpressions.flatMap(_.collect { case a: AggregateExpression => a })
        if (calls.exists(call => isOurs(call.aggregateFunction))) {
          val keys = aggregate.groupingExpressions.zipWithIndex.map { case (key, i) =>
            StateEntry(s"key ${i + 1}", window(key, aggregate.child).getOrElse(typed(key)))
          }
          val functions = calls.map(call => call.resultId -> entry(call.aggregateFunction, call.filter)).toMap
          calls.foreach(_.aggregateFunction.setTagValue(described, Described(functions, keys)))
        }
      case _ =>
    }
    plan
  }

  // containsTag is new in Spark 4.2
  private def isOurs(function: AggregateFunction): Boolean =
    function.isInstanceOf[ChronosketchAggregate[_]] || function.getTagValue(pane).nonEmpty

  /** The layout of panes that are kept by key.
    *
    * @param filters of each function; true if it has none
    */
  def ofPanes(
      keys: Seq[Expression],
      time: Expression,
      size: Long,
      slide: Long,
      functions: Seq[AggregateFunction],
      filters: Seq[Expression]
  ): StateLayout = StateLayout(
    "panes of hopping windows",
    Seq(
      StateEntry("event_time", typed(time)),
      StateEntry("size", span(size)),
      StateEntry("slide", span(slide))
    ) ++
      keys.zipWithIndex.map { case (key, i) => StateEntry(s"key ${i + 1}", typed(key)) } ++
      numbered(functions.zip(filters).map { case (f, filter) => entry(f, Some(filter)) })
  )

  /** The layout of an aggregation of Spark's, if it was described. A function of ours is as it was described.
    *
    * @param calls in the order of their buffers in the state
    */
  private[state] def ofAggregation(calls: Seq[AggregateExpression]): Option[StateLayout] =
    calls.flatMap(_.aggregateFunction.getTagValue(described)).headOption.map { description =>
      val entries = calls.map { call =>
        val f = call.aggregateFunction
        description.functions.getOrElse(
          call.resultId,
          StateEntry("", s"${f.prettyName} of ${types(f.children)}")
        )
      }
      StateLayout("an aggregation", description.keys ++ numbered(entries))
    }

  private def numbered(functions: Seq[StateEntry]): Seq[StateEntry] =
    functions.zipWithIndex.map { case (f, i) => f.copy(name = s"aggregate ${i + 1}") }

  private def entry(function: AggregateFunction, filter: Option[Expression]): StateEntry = {
    val passing = filter.filter(_ != TrueLiteral)
    function match {
      case ours: SketchFunction =>
        val column = ours.column(passing)
        val epsilon = column.kind.recipeIfKnown.flatMap { recipe =>
          recipe.family.parameters.map(_.name).zip(recipe.numbers).toMap.get(Epsilon)
        }
        StateEntry("", sketch(column), epsilon)
      case other => StateEntry("", s"${sql(other)}${where(passing)} of ${types(other.children)}")
    }
  }

  private val Epsilon = "epsilon"

  private def sketch(column: SketchColumn): String = {
    val made = column.kind.recipeIfKnown.fold(column.kind.toString)(_.without(Epsilon)).stripSuffix("()")
    val inputs = Seq(column.input) ++ column.second ++ column.id ++ column.copies
    def each(name: String, es: Iterable[Expression]): String =
      if (es.isEmpty) "" else es.map(sql).mkString(s" $name ", ", ", "")
    s"$made of ${sql(column.input)}${each("with", column.second)}${each("by", column.conditions)}" +
      s"${each("id", column.id)}${each("frequency", column.copies)}${where(column.filter)} of ${types(inputs)}"
  }

  private def where(filter: Option[Expression]): String =
    filter.fold("")(f => s" FILTER (WHERE ${sql(f)})")

  private def types(es: Seq[Expression]): String = es.filterNot(_.foldable).map(_.dataType.sql) match {
    case Nil => "rows"
    case some => some.mkString(", ")
  }

  private def typed(e: Expression): String = s"${sql(e)} ${e.dataType.sql}"

  /** The SQL of an expression, the same for every batch of a query. */
  private def sql(e: Expression): String = Arguments.unqualified(e.transformUp {
    case cast: Cast if cast.child.dataType == cast.dataType => cast.child
    case now: CurrentBatchTimestamp => AttributeReference("now()", now.dataType)()
    case a: AttributeReference if !SQLConf.get.caseSensitiveAnalysis =>
      a.withName(a.name.toLowerCase(Locale.ROOT))
  })

  private def span(micros: Long): String = Span.text(micros, Domain.Timestamp)

  /** Spark's window of time, by its size and slide. Spark makes copies of each row, one for each window that the row is in, so the
    * bounds are computed for one time.
    */
  private def window(key: Expression, child: LogicalPlan): Option[String] = key match {
    case a: Attribute if a.metadata.contains(TimeWindow.marker) =>
      val made = definitions(a, child)
      val times = made.flatMap(_.references).map(_.name.toLowerCase(Locale.ROOT)).distinct
      for {
        bounds <- Try(made.map(at)).toOption if bounds.nonEmpty
        start = bounds.head._1
        size = bounds.head._2 - start
        slide = if (bounds.size > 1) math.abs(bounds(1)._1 - start) else size
      } yield s"window of ${times.mkString(", ")}, size ${span(size)}, slide ${span(slide)}, start ${Math.floorMod(start, slide)} µs"
    case a: Attribute if a.metadata.contains(SessionWindow.marker) =>
      definitions(a, child).headOption.flatMap { made =>
        val names = made.references.map(_.name.toLowerCase(Locale.ROOT)).toSeq.sorted.mkString(", ")
        Try(at(made)).toOption.filter(_ => made.references.size == 1).map { case (start, end) =>
          s"session_window of $names, gap ${span(end - start)}"
        }
      }
    case _ => None
  }

  private def definitions(column: Attribute, plan: LogicalPlan): Seq[Expression] = plan.collectFirst {
    case Project(columns, _) if columns.exists(isAliasOf(column, _)) =>
      columns.collect { case Alias(made, _) => made }.lift(
        columns.collect { case a: Alias => a }.indexWhere(_.exprId == column.exprId)
      ).toSeq
    case copies: Expand if copies.output.exists(_.exprId == column.exprId) =>
      copies.projections.map(_(copies.output.indexWhere(_.exprId == column.exprId)))
  }.getOrElse(Nil)

  private def isAliasOf(column: Attribute, e: NamedExpression): Boolean =
    e.isInstanceOf[Alias] && e.exprId == column.exprId

  /** The start and end of a window of the time 0. */
  private def at(window: Expression): (Long, Long) = {
    val row = window.transform {
      case a: AttributeReference if isTime(a.dataType) => Literal(0L, a.dataType)
    }.eval().asInstanceOf[InternalRow]
    (row.getLong(0), row.getLong(1))
  }

  private def isTime(t: DataType): Boolean = t == TimestampType || t == TimestampNTZType
}
