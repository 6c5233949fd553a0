package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{Cast, Coalesce, EvalMode, Expression, Literal}
import org.apache.spark.sql.types.{DataType, DecimalType}

import chronosketch.spark.aggregate.{
  AsSketch,
  ComomentsAggregate,
  FunctionCall,
  QloveSketchAggregate,
  SketchAggregate,
  SketchFunction,
  SketchMergeAggregate
}
import chronosketch.spark.sample.SampleSketchAggregate
import chronosketch.spark.sketch.{Ask, Question, SketchReader}
import chronosketch.spark.sql.SparkVersion
import chronosketch.spark.window.{WindowQuantileAggregate, WindowSampleAggregate, WindowSketchAggregate}

/** Tells how to compute an aggregate of a window from aggregates of its panes, called parts.
  *
  * @param parts  the aggregates of a pane
  * @param merges for each part, the aggregate function that merges the parts of panes into the window's part
  * @param answer computes the aggregate of the window from its parts
  */
private[spark] final case class PaneAggregates(
    parts: Seq[AggregateFunction],
    merges: Seq[Expression => AggregateFunction],
    answer: Seq[Expression] => Expression
)

private[spark] object PaneAggregates {

  /** The functions that [[of]] supports, for a message. */
  val Supported =
    "quantile_sketch_agg, ddsketch_agg, moments_agg, comoments_agg, sample_sketch_agg, window_sketch_agg, window_moments_agg, window_sample_agg, qlove_sketch_agg, sketch_merge_agg, approx_quantile, approx_quantile_bounds, approx_window_quantile without as_of, count, sum, min, max, avg"

  /** The most digits of decimals to sum. With more, a pane's sum may overflow and become NULL, which the window's sum would skip. */
  private val MostDigits = DecimalType.MAX_PRECISION - 10

  /** How to compute a function from panes. None if this is not possible. */
  def of(function: AggregateFunction): Option[PaneAggregates] = function match {
    case sketch: SketchAggregate =>
      Some(PaneAggregates(
        Seq(sketch.sketched),
        Seq(SketchMergeAggregate(_)),
        merged => answer(sketch, merged.head)
      ))
    // as_of may lie inside a pane, and the pane's sketch can't tell which rows come before it
    case window: WindowQuantileAggregate if window.asOf.isEmpty =>
      Some(PaneAggregates(
        Seq(window.sketched),
        Seq(SketchMergeAggregate(_)),
        merged => asking(window, merged.head)
      ))
    case _: WindowSketchAggregate | _: QloveSketchAggregate | _: SketchMergeAggregate | _: ComomentsAggregate |
        _: SampleSketchAggregate | _: WindowSampleAggregate =>
      Some(PaneAggregates(Seq(function), Seq(SketchMergeAggregate(_)), _.head))
    case count: Count =>
      Some(PaneAggregates(Seq(count), Seq(new Sum(_)), counts => Coalesce(Seq(counts.head, Literal(0L)))))
    case _: Min | _: Max => Some(PaneAggregates(Seq(function), Seq(again(function)), _.head))
    case sum: Sum if isPlain(sum, sum.child) =>
      Some(PaneAggregates(Seq(sum), Seq(again(sum)), sums => narrowed(sums.head, sum.dataType)))
    case average: Average if isPlain(average, average.child) => Some(ofAverage(average))
    case _ => None
  }

  private def again(function: AggregateFunction)(child: Expression): AggregateFunction =
    function.withNewChildren(Seq(child)).asInstanceOf[AggregateFunction]

  private def answer(function: SketchAggregate, sketch: Expression): Expression =
    if (function.answer == AsSketch) sketch else asking(function, sketch)

  private def asking(function: SketchFunction, sketch: Expression): Expression =
    Ask.of(MergedAnswer(function.call(0)), Seq(sketch))

  private def isPlain(sum: scala.Product, child: Expression): Boolean =
    SparkVersion.evalMode(sum) != EvalMode.TRY && (child.dataType match {
      case d: DecimalType => d.precision <= MostDigits
      case _ => true
    })

  /** Casts a sum of sums of decimals back to the type of a sum of the rows, because Spark gives it more digits. */
  private def narrowed(sum: Expression, to: DataType): Expression = to match {
    case _: DecimalType => Cast(sum, to)
    case _ => sum
  }

  private def ofAverage(average: Average): PaneAggregates = {
    val (sum, count) = (average.aggBufferAttributes(0), average.aggBufferAttributes(1))
    PaneAggregates(
      Seq(new Sum(Cast(average.child, sumInput(average, sum.dataType))), Count(average.child)),
      Seq(new Sum(_), new Sum(_)),
      merged =>
        average.evaluateExpression.transform {
          case a if a.semanticEquals(sum) => narrowed(merged(0), sum.dataType)
          case a if a.semanticEquals(count) => merged(1)
        }
    )
  }

  /** The type of the values in a sum. */
  private def sumInput(average: Average, sum: DataType): DataType = sum match {
    case _: DecimalType => average.child.dataType
    case _ => sum
  }
}

/** Asks a merged summary for the answer of an aggregate function. */
final case class MergedAnswer(call: FunctionCall) extends Question(call.function) {
  override def readsSummary: Boolean = true

  def check(arguments: Seq[Expression]): TypeCheckResult = TypeCheckSuccess

  def dataType(arguments: Seq[Expression]): DataType = call.dataType

  override def explained(arguments: Seq[Expression]): Seq[Any] = arguments :+ call.text

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    values => call.evaluate(reader.open(values(0)))
  }
}
