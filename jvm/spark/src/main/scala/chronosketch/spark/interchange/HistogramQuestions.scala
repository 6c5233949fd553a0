package chronosketch.spark.interchange

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.{BinaryType, DataType, DoubleType}

import chronosketch.interchange.{ImportedExponentialHistogram, ImportedHistogram}
import chronosketch.spark.interchange.HistogramArguments._
import chronosketch.spark.sketch.Question
import chronosketch.spark.sql.{Arguments, KeyCodec}
import chronosketch.summary.Envelope

/** `sketch_from_histogram(bounds, counts, cumulative, minimum, maximum)`: converts a histogram with explicit bounds to a sketch. */
case object SketchFromHistogram extends Question("sketch_from_histogram") {
  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => checkBounds(name, arguments(0)),
    () => checkCounts(2, arguments(1)),
    () => checkBoolean(3, arguments(2)),
    () => checkLimit(4, valuesOf(elementOf(arguments(0))).get, arguments(3)),
    () => checkLimit(5, valuesOf(elementOf(arguments(0))).get, arguments(4))
  )

  def dataType(arguments: Seq[Expression]): DataType = BinaryType

  override def isUnanswered(values: Array[Any]): Boolean = values.take(3).contains(null)

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val bound = elementOf(arguments(0))
    val count = elementOf(arguments(1))
    val values = valuesOf(bound).get
    given => {
      val bounds = keys("bound", given(0).asInstanceOf[ArrayData], bound, values)
      val counted = counts("count", given(1).asInstanceOf[ArrayData], count)
      val bucketCounts =
        if (given(2).asInstanceOf[Boolean]) ImportedHistogram.differences(counted) else counted
      Envelope.seal(ImportedHistogram.of(bounds, bucketCounts, limits(values, given(3), given(4))))
    }
  }
}

/** `sketch_from_exponential_histogram(scale, zero_count, positive_offset, positive_counts, negative_offset, negative_counts,
  * zero_threshold, minimum, maximum)`: converts a histogram whose bounds are powers of a base to a sketch.
  */
case object SketchFromExponentialHistogram extends Question("sketch_from_exponential_histogram") {
  private val Counts = Seq(3, 5)
  private val Required = 7

  def check(arguments: Seq[Expression]): TypeCheckResult =
    Arguments.all(arguments.indices.map { i => () =>
      if (Counts.contains(i)) checkCounts(i + 1, arguments(i)) else checkNumber(i + 1, arguments(i))
    }: _*)

  def dataType(arguments: Seq[Expression]): DataType = BinaryType

  override def isUnanswered(values: Array[Any]): Boolean = values.take(Required).contains(null)

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val doubles = KeyCodec.of(DoubleType).get
    given => {
      def small(name: String, i: Int): Int = {
        // a number beyond an Int is clamped: the end of the range is rejected with the same error
        val number = whole(name, given(i))
        math.max(Int.MinValue.toLong, math.min(Int.MaxValue.toLong, number)).toInt
      }
      def side(sign: String, i: Int): ImportedExponentialHistogram.Side =
        ImportedExponentialHistogram.Side(
          small(s"${sign}_offset", i),
          counts(s"$sign count", given(i + 1).asInstanceOf[ArrayData], elementOf(arguments(i + 1)))
        )
      Envelope.seal(
        ImportedExponentialHistogram.of(
          small("scale", 0),
          whole("zero_count", given(1)),
          side("positive", 2),
          side("negative", 4),
          Arguments.number(given(6)),
          limits(doubles, given(7), given(8))
        )
      )
    }
  }
}
