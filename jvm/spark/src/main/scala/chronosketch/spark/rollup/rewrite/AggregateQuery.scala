package chronosketch.spark.rollup.rewrite

import org.apache.spark.sql.catalyst.expressions.aggregate.{
  AggregateExpression,
  ApproximatePercentile,
  Complete
}
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  AttributeMap,
  Cast,
  Expression,
  Literal,
  NamedExpression,
  OuterReference,
  PlanExpression,
  PredicateHelper
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan, Project}
import org.apache.spark.sql.types.{ArrayType, DoubleType, NumericType}

import chronosketch.quantile.QuantileSketch
import chronosketch.spark.aggregate.{AsQuantile, SketchAggregate}
import chronosketch.spark.sql.Arguments

/** An aggregation over rows of a Delta table, with all its expressions over the table's columns.
  *
  * @param conditions
  *   the conditions that a row has to meet, all of them
  */
private[rewrite] final case class AggregateQuery(
    table: DeltaRelation,
    conditions: Seq[Expression],
    grouping: Seq[Expression],
    results: Seq[NamedExpression]
) {

  /** The aggregate functions of the results, each once. */
  val functions: Seq[AggregateExpression] =
    results.flatMap(_.collect { case a: AggregateExpression => a }).foldLeft(Seq.empty[AggregateExpression]) {
      (found, a) =>
        if (found.exists(_.semanticEquals(a))) found else found :+ a
    }
}

private[rewrite] object AggregateQuery extends PredicateHelper {

  /** The table that an aggregation reads, if there is nothing but projections and filters in between. */
  def relationOf(aggregate: Aggregate): Option[LogicalPlan] =
    leaf(aggregate.child).filter(DeltaRelation.isDelta)

  private def leaf(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case Project(_, child) => leaf(child)
    case Filter(_, child) => leaf(child)
    case other => Option.when(other.children.isEmpty)(other)
  }

  /** Reads an aggregation of a table, or returns why it is not supported. */
  def of(aggregate: Aggregate, table: DeltaRelation): Either[String, AggregateQuery] = {
    val (conditions, columns) = below(aggregate.child)
    def over[A <: Expression](e: A): Expression = replaced(e, columns)
    val query = AggregateQuery(
      table,
      conditions,
      aggregate.groupingExpressions.map(over(_)),
      aggregate.aggregateExpressions.map(e => named(e, over(e)))
    )
    val all = conditions ++ query.grouping ++ query.results
    for {
      _ <- all.find(!_.deterministic).map(e => s"${text(e)} is not deterministic").toLeft(())
      _ <- all.find(_.exists(e => e.isInstanceOf[PlanExpression[_]] || e.isInstanceOf[OuterReference]))
        .map(e => s"${text(e)} has a subquery or is in one").toLeft(())
      _ <- query.functions.find(a => a.isDistinct || a.filter.nonEmpty || a.mode != Complete)
        .map(a => s"${text(a)} has DISTINCT or FILTER").toLeft(())
    } yield query
  }

  def text(e: Expression): String = Arguments.unqualified(e match {
    case Alias(child, _) => child
    case other => other
  })

  private def named(before: NamedExpression, after: Expression): NamedExpression = after match {
    case alias: Alias => alias
    case other => Alias(other, before.name)(before.exprId, before.qualifier)
  }

  /** The conditions below an aggregation, and what its columns are over those of the table. */
  private def below(plan: LogicalPlan): (Seq[Expression], AttributeMap[Expression]) = plan match {
    case Project(columns, child) =>
      val (conditions, under) = below(child)
      (
        conditions,
        AttributeMap(columns.collect { case a @ Alias(e, _) => a.toAttribute -> replaced(e, under) } ++
          columns.collect { case a: Attribute => under.get(a).map(a -> _) }.flatten)
      )
    case Filter(condition, child) =>
      val (conditions, under) = below(child)
      (conditions ++ splitConjunctivePredicates(replaced(condition, under)), under)
    case _ => (Nil, AttributeMap.empty[Expression])
  }

  private def replaced(e: Expression, columns: AttributeMap[Expression]): Expression =
    if (columns.isEmpty) e else e.transform { case a: Attribute => columns.getOrElse(a, a) }

  /** Our function for a call of percentile_approx, and the type that Spark's has. */
  def ourQuantile(spark: ApproximatePercentile): Option[SketchAggregate] = {
    val accuracy = Arguments.constant(Cast(spark.accuracyExpression, DoubleType)).asInstanceOf[Double]
    Option.when(spark.child.dataType.isInstanceOf[NumericType]) {
      val phi =
        Literal.create(Arguments.constant(spark.percentageExpression), spark.percentageExpression.dataType)
      SketchAggregate(
        "percentile_approx",
        QuantileSketch,
        AsQuantile,
        spark.child,
        Some(asDoubles(phi)),
        Seq(Literal(1 / accuracy)),
        Literal(null)
      )
    }.filter(_.checkInputDataTypes().isSuccess)
  }

  private def asDoubles(phi: Literal): Expression = phi.dataType match {
    case ArrayType(_, _) => Literal.create(
        Cast(phi, ArrayType(DoubleType, containsNull = false)).eval(),
        ArrayType(DoubleType, containsNull = false)
      )
    case _ => Literal.create(Cast(phi, DoubleType).eval(), DoubleType)
  }
}
