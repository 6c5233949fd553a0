package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

import chronosketch.domain.Conversion
import chronosketch.families.Capabilities
import chronosketch.rank.Phi
import chronosketch.shape.{Bin, BoundedKey, BoxPlot, EquiDepth, TrimmedMean}
import chronosketch.spark.sql.{Arguments, Conditions, KeyCodec, Phis}
import chronosketch.summary.Summary

/** `sketch_histogram(sketch, bins, type)`: bins that each have about the same number of elements. */
case object SketchHistogram extends Question("sketch_histogram") {
  override def readsSummary: Boolean = true

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => Arguments.checkWhole("bins", 1, EquiDepth.MostBins, 2, arguments(1)),
    () => Questions.checkType(name, 3, arguments(2))
  )

  override def settled(arguments: Seq[Expression]): Seq[Expression] =
    arguments.updated(2, Questions.settledType(arguments(2)))

  def dataType(arguments: Seq[Expression]): DataType = {
    val edge = Questions.typeNamed(arguments(2)).dataType
    val bin = new StructType()
      .add("lower", edge, nullable = false)
      .add("upper", edge, nullable = false)
      .add("count", LongType, nullable = false)
      .add("count_low", LongType, nullable = false)
      .add("count_high", LongType, nullable = false)
    ArrayType(bin, containsNull = false)
  }

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val to = Questions.typeNamed(arguments(2))
    val bins = Arguments.constant(arguments(1)).asInstanceOf[Number].intValue
    values => {
      val summary = reader.open(values(0))
      val cut = EquiDepth.bins(Capabilities.requireBounded(summary), bins)
      if (cut.isEmpty) null else new GenericArrayData(cut.map(row(_, summary, to, bins): Any).toArray)
    }
  }

  private def row(bin: Bin, summary: Summary, to: KeyCodec, bins: Int): GenericInternalRow = {
    def edge(key: Long): Any =
      Questions.convert(key, summary.domain, to, Conversion.Nearest, t => s"$name(sketch, $bins, '$t')")
    new GenericInternalRow(Array[Any](edge(bin.lower), edge(bin.upper), bin.count, bin.low, bin.high))
  }
}

/** `sketch_box(sketch, type)`: the values that a box plot shows. */
case object SketchBox extends TypedQuestion("sketch_box") {
  def dataType(arguments: Seq[Expression]): DataType = {
    val valueType = Questions.typeNamed(arguments(1)).dataType
    val one = new StructType(Array("value", "low", "high").map(StructField(_, valueType, nullable = false)))
    new StructType(
      Array("minimum", "lower_whisker", "q1", "median", "q3", "upper_whisker", "maximum")
        .map(StructField(_, one, nullable = false))
    )
  }

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val to = Questions.typeNamed(arguments(1))
    values => {
      val summary = reader.open(values(0))
      BoxPlot.of(Capabilities.requireBounded(summary)).fold(null: Any)(row(_, summary, to))
    }
  }

  private def row(box: BoxPlot, summary: Summary, to: KeyCodec): GenericInternalRow = {
    import box._
    val fields = Seq(minimum, lowerWhisker, q1, median, q3, upperWhisker, maximum)
    new GenericInternalRow(fields.map(bounded(_, summary, to): Any).toArray)
  }

  /** Converts a key with its bounds to a row. The bounds are rounded outward. */
  private def bounded(key: BoundedKey, summary: Summary, to: KeyCodec): GenericInternalRow = {
    def as(key: Long, rounding: Conversion.Rounding): Any =
      Questions.convert(key, summary.domain, to, rounding, t => s"$name(sketch, '$t')")
    new GenericInternalRow(Array(
      as(key.value, Conversion.Nearest),
      as(key.low, Conversion.Down),
      as(key.high, Conversion.Up)
    ))
  }
}

/** `sketch_trimmed_mean(sketch, lower, upper)`: the mean of the values between two quantiles. */
case object SketchTrimmedMean extends Question("sketch_trimmed_mean") {
  override def readsSummary: Boolean = true

  def dataType(arguments: Seq[Expression]): DataType = MomentBoundsRow.fields

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => checkShare(2, "lower", arguments(1)),
    () => checkShare(3, "upper", arguments(2)),
    () => {
      val (lower, upper) = (phi(arguments(1)).decimal, phi(arguments(2)).decimal)
      if (lower.compareTo(upper) >= 0) {
        throw Conditions.analysisError(
          "CHRONOSKETCH_EMPTY_TRIM",
          arguments(1).origin,
          "function" -> name,
          "lower" -> lower.toPlainString,
          "upper" -> upper.toPlainString
        )
      }
      TypeCheckSuccess
    }
  )

  private def checkShare(position: Int, argument: String, e: Expression): TypeCheckResult =
    if (e.dataType.isInstanceOf[ArrayType]) Arguments.unexpectedType(position, "NUMERIC", e)
    else Arguments.checkConstantPhi(position, e, argument)

  private def phi(e: Expression): Phi = Phis.of(Arguments.constant(e), e.dataType).all.head

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val (lower, upper) = (phi(arguments(1)), phi(arguments(2)))
    values =>
      TrimmedMean.of(Capabilities.requireBounded(reader.open(values(0))), lower, upper)
        .fold(null: Any)(MomentBoundsRow.of)
  }
}

/** `sketch_sample(sketch, type)`: the values of a sample, in ascending order. */
case object SketchSample extends TypedQuestion("sketch_sample") {
  def dataType(arguments: Seq[Expression]): DataType =
    ArrayType(Questions.typeNamed(arguments(1)).dataType, containsNull = false)

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val to = Questions.typeNamed(arguments(1))
    values => {
      val sample = Capabilities.requireSampled(reader.open(values(0)))
      new GenericArrayData(sample.values.map { key =>
        Questions.convert(key, sample.domain, to, Conversion.Nearest, t => s"$name(sketch, '$t')")
      })
    }
  }
}
