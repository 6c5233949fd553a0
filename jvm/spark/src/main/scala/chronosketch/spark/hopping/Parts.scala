package chronosketch.spark.hopping

import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.{Cast, Coalesce, EvalMode, Expression, Literal}
import org.apache.spark.sql.types.{DataType, DecimalType}

import chronosketch.spark.aggregate.{
  AsSketch,
  QloveSketchAggregate,
  SketchAggregate,
  SketchFunction,
  SketchMergeAggregate
}
import chronosketch.spark.sketch.Ask
import chronosketch.spark.sql.SparkLine
import chronosketch.spark.window.{WindowQuantileAggregate, WindowSketchAggregate}

/** How an aggregate of a window is put together from those of its panes.
  *
  * @param panes  the aggregates of a pane
  * @param merges what makes one of a window from each of them
  * @param answer the aggregate of the window, from these
  */
private[spark] final case class Parts(
    panes: Seq[AggregateFunction],
    merges: Seq[Expression => AggregateFunction],
    answer: Seq[Expression] => Expression
)

private[spark] object Parts {

  /** What [[of]] covers, for a message. */
  val Covered =
    "quantile_sketch_agg, window_sketch_agg, qlove_sketch_agg, sketch_merge_agg, approx_quantile, approx_quantile_bounds, approx_window_quantile without as_of, count, sum, min, max, avg"

  /** A sum of decimals of more digits may overflow in a pane, and leaves no trace there. */
  private val MostDigits = DecimalType.MAX_PRECISION - 10

  /** None where the panes' aggregates do not make the window's. */
  def of(function: AggregateFunction): Option[Parts] = function match {
    case sketch: SketchAggregate =>
      val pane = sketch.sketched
      Some(Parts(Seq(pane), Seq(SketchMergeAggregate(_)), merged => answer(sketch, merged.head)))
    // of panes that end before as_of, and after, no window that ends there is known as well as of rows
    case window: WindowQuantileAggregate if window.asOf.isEmpty =>
      Some(Parts(Seq(window.sketched), Seq(SketchMergeAggregate(_)), merged => asking(window, merged.head)))
    case _: WindowSketchAggregate | _: QloveSketchAggregate | _: SketchMergeAggregate =>
      Some(Parts(Seq(function), Seq(SketchMergeAggregate(_)), _.head))
    case count: Count =>
      Some(Parts(Seq(count), Seq(new Sum(_)), counts => Coalesce(Seq(counts.head, Literal(0L)))))
    case _: Min | _: Max => Some(Parts(Seq(function), Seq(again(function)), _.head))
    case sum: Sum if isPlain(sum, sum.child) =>
      Some(Parts(Seq(sum), Seq(again(sum)), sums => narrowed(sums.head, sum.dataType)))
    case average: Average if isPlain(average, average.child) => Some(ofAverage(average))
    case _ => None
  }

  private def again(function: AggregateFunction)(of: Expression): AggregateFunction =
    function.withNewChildren(Seq(of)).asInstanceOf[AggregateFunction]

  private def answer(of: SketchAggregate, sketch: Expression): Expression =
    if (of.answer == AsSketch) sketch else asking(of, sketch)

  private def asking(of: SketchFunction, sketch: Expression): Expression =
    Ask(Answered(of.asked(0)), Seq(sketch))

  private def isPlain(sum: scala.Product, of: Expression): Boolean =
    SparkLine.evalMode(sum) != EvalMode.TRY && (of.dataType match {
      case d: DecimalType => d.precision <= MostDigits
      case _ => true
    })

  /** Sums of sums of decimals have more digits than sums of the rows. */
  private def narrowed(sum: Expression, to: DataType): Expression = to match {
    case _: DecimalType => Cast(sum, to)
    case _ => sum
  }

  private def ofAverage(average: Average): Parts = {
    val (sum, count) = (average.aggBufferAttributes(0), average.aggBufferAttributes(1))
    Parts(
      Seq(new Sum(Cast(average.child, sumInput(average, sum.dataType))), Count(average.child)),
      Seq(new Sum(_), new Sum(_)),
      merged =>
        average.evaluateExpression.transform {
          case a if a.semanticEquals(sum) => narrowed(merged(0), sum.dataType)
          case a if a.semanticEquals(count) => merged(1)
        }
    )
  }

  /** What is added up to a sum of a type. */
  private def sumInput(average: Average, sum: DataType): DataType = sum match {
    case _: DecimalType => average.child.dataType
    case _ => sum
  }
}
