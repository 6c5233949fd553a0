package chronosketch.spark.rollup.rewrite

import scala.util.{Left, Right}

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.types._

import chronosketch.quantile.{QuantileFamily, QuantileSketch}
import chronosketch.spark.aggregate.{AsQuantile, AsQuantileBounds, AsSketch, SketchAggregate}
import chronosketch.spark.hopping.PaneAggregates
import chronosketch.spark.rollup.RollupDefinition
import chronosketch.spark.sql.SparkVersion

/** How a roll-up answers an aggregate function.
  *
  * @param pane
  *   the parts to compute for rows of the table, and how parts are merged
  * @param columns
  *   the same parts for a row of the roll-up
  */
private[rewrite] final case class AnsweredFunction(pane: PaneAggregates, columns: Seq[Expression])

private[rewrite] final class AnsweredFunctions(
    definition: RollupDefinition,
    expressions: RollupExpressions,
    row: String => Attribute
) {
  import RollupDefinition._

  /** How to answer a call, or why the roll-up can't. */
  def of(call: AggregateExpression): Either[String, AnsweredFunction] =
    answered(call.aggregateFunction).left.map(why => s"${AggregateQuery.text(call)}: $why")

  private def answered(function: AggregateFunction): Either[String, AnsweredFunction] = function match {
    case sketch: SketchAggregate => sketched(sketch)
    case spark: ApproximatePercentile => percentile(spark)
    case count @ Count(Seq(Literal(value, _))) if value != null => fromPane(count, Seq(row(Rows)))
    case count: Count => counted(count)
    case min @ Min(child) => ofValue(child).flatMap(v => fromPane(min, Seq(row(minOf(v)))))
    case max @ Max(child) => ofValue(child).flatMap(v => fromPane(max, Seq(row(maxOf(v)))))
    case sum: Sum => summed(sum, sum.child).flatMap(s => fromPane(sum, Seq(s)))
    case average: Average =>
      for {
        sum <- summed(average, average.child)
        value <- ofValue(average.child)
        pane <- fromPane(average, Seq(Cast(sum, DoubleType), row(countOf(value))))
      } yield pane
    case _ => Left("the roll-up does not answer it")
  }

  private def percentile(spark: ApproximatePercentile): Either[String, AnsweredFunction] =
    if (!RewriteConf.answersPercentileApprox) Left(s"${RewriteConf.PercentileApprox} is not true")
    else
      for {
        ours <- AggregateQuery.ourQuantile(spark).toRight("its values are not numbers that a sketch takes")
        answered <- sketched(ours)
      } yield answered.copy(pane =
        answered.pane.copy(answer = merged => asTyped(answered.pane.answer(merged), spark.dataType))
      )

  private def ofValue(e: Expression): Either[String, String] =
    expressions.value(e).toRight(s"${AggregateQuery.text(e)} is not a value of the roll-up")

  private def sketched(sketch: SketchAggregate): Either[String, AnsweredFunction] =
    for {
      value <- ofValue(sketch.value)
      _ <- Either.cond(
        isAnswered(sketch) && sketch.frequency.isEmpty,
        (),
        "of its sketches it answers approx_quantile, approx_quantile_bounds, and quantile_sketch_agg with the tail that it has, " +
          "without weights, sums and interpolation"
      )
      _ <- Either.cond(
        definition.epsilon <= sketch.epsilon,
        (),
        s"it asks for epsilon ${sketch.epsilon}, and the roll-up has ${definition.epsilon}"
      )
      _ <- sketch.tail.filterNot(asked => definition.tail.exists(_.promises(asked))).map { asked =>
        val has = definition.tail.fold("none")(t => s"'${t.name}'")
        s"it asks for the tail '${asked.name}', and the roll-up has $has"
      }.toLeft(())
      // rows that the roll-up doesn't have are sketched as its own, so that all sketches merge
      answered <- fromPane(sketch.withTail(definition.tail), Seq(row(value)))
    } yield answered

  /** A sketch is an answer only if it merges with all others of the kind that was asked for. */
  private def isAnswered(sketch: SketchAggregate): Boolean = sketch.answer match {
    case AsQuantile | AsQuantileBounds => sketch.family.isKin(QuantileSketch)
    case AsSketch => sketch.family == QuantileFamily.of(definition.tail)
    case _ => false
  }

  private def counted(count: Count): Either[String, AnsweredFunction] = {
    val ofOneValue = count.children match {
      case Seq(one) => expressions.value(one).map(v => row(countOf(v)))
      case _ => None
    }
    def ofGroups = {
      val groups = count.children.map(expressions.overRollup(_, row, _ => None))
      Option.when(groups.forall(_.nonEmpty))(
        If(groups.flatten.map(IsNull(_): Expression).reduce(Or), Literal(0L), row(Rows)): Expression
      )
    }
    ofOneValue.orElse(ofGroups).toRight("it counts neither rows nor a value or groups of the roll-up")
      .flatMap(column => fromPane(count, Seq(column)))
  }

  /** A row's sum. The table has NULL for one that did not fit. */
  private def summed(function: scala.Product, child: Expression): Either[String, Expression] =
    ofValue(child).flatMap { value =>
      val mode = SparkVersion.evalMode(function)
      child.dataType match {
        case _ if mode == EvalMode.TRY => Left("it does not fail if a sum does not fit")
        case FloatType | DoubleType | ByteType | ShortType | IntegerType => Right(row(sumOf(value)))
        case other => Left(s"a sum of ${other.sql} that does not fit would differ")
      }
    }

  private def fromPane(
      function: AggregateFunction,
      columns: Seq[Expression]
  ): Either[String, AnsweredFunction] =
    PaneAggregates.of(
      function
    ).filter(_.parts.map(_.dataType) == columns.map(_.dataType)).map(AnsweredFunction(_, columns))
      .toRight("the roll-up has it with another type")

  private def asTyped(e: Expression, to: DataType): Expression = if (e.dataType == to) e else Cast(e, to)
}
