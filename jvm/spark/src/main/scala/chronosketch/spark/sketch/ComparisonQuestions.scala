package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow}
import org.apache.spark.sql.types._

import chronosketch.comparison._
import chronosketch.domain.Conversion
import chronosketch.families.Capabilities
import chronosketch.rank.Phi
import chronosketch.spark.sql.{Arguments, KeyCodec, Phis}
import chronosketch.summary.{Bounded, Summary}

/** Rows of a number with bounds of the exact one. */
private[spark] object BoundedNumberRow {
  val fields: StructType = new StructType()
    .add("value", DoubleType, nullable = false)
    .add("low", DoubleType, nullable = false)
    .add("high", DoubleType, nullable = false)

  def of(number: BoundedNumber): GenericInternalRow =
    new GenericInternalRow(Array[Any](number.value, number.low, number.high))
}

/** `f(a, b, …)`: how far the values of two sketches are from one another. */
private[spark] sealed abstract class AboutPair(name: String) extends Question(name) {

  /** The function from a pair to its answer, given the constant arguments. */
  protected def asking(arguments: Seq[Expression]): SketchPair => Any

  /** Checks the arguments after the two sketches. */
  protected def checkOthers(arguments: Seq[Expression]): TypeCheckResult = TypeCheckSuccess

  def dataType(arguments: Seq[Expression]): DataType = BoundedNumberRow.fields

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => Arguments.checkSketch(2, arguments(1)),
    () => checkOthers(arguments)
  )

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val (left, right) = (new SketchReader, new SketchReader)
    val ask = asking(arguments)
    values => {
      val (a, b) = (left.open(values(0)), right.open(values(1)))
      SketchPair.of(Capabilities.requireBounded(a), Capabilities.requireBounded(b)).fold(null: Any)(ask)
    }
  }
}

/** `sketch_ks(a, b, type)`: the greatest difference of two distribution functions, and where it is. */
case object SketchKs extends AboutPair("sketch_ks") {
  override protected def checkOthers(arguments: Seq[Expression]): TypeCheckResult =
    Questions.checkType(name, 3, arguments(2))

  override def settled(arguments: Seq[Expression]): Seq[Expression] =
    arguments.updated(2, Questions.settledType(arguments(2)))

  override def dataType(arguments: Seq[Expression]): DataType = new StructType()
    .add("distance", DoubleType, nullable = false)
    .add("low", DoubleType, nullable = false)
    .add("high", DoubleType, nullable = false)
    .add("at", Questions.typeNamed(arguments(2)).dataType)

  protected def asking(arguments: Seq[Expression]): SketchPair => Any = {
    val to = Questions.typeNamed(arguments(2))
    pair => {
      val ks = KolmogorovSmirnov.of(pair)
      def call(t: String): String = s"$name(a, b, '$t')"
      Questions.refuseUnconvertible(pair.domain, to, call)
      val at = ks.at.fold(null: Any)(Questions.convert(_, pair.domain, to, Conversion.Nearest, call))
      new GenericInternalRow(Array[Any](ks.distance.value, ks.distance.low, ks.distance.high, at))
    }
  }
}

case object SketchKsPValue extends AboutPair("sketch_ks_p_value") {
  protected def asking(arguments: Seq[Expression]): SketchPair => Any =
    pair => BoundedNumberRow.of(KolmogorovSmirnov.of(pair).pValue)
}

case object SketchPsi extends AboutPair("sketch_psi") {
  override protected def checkOthers(arguments: Seq[Expression]): TypeCheckResult =
    Arguments.checkWhole("bins", StabilityIndex.LeastBins, StabilityIndex.MostBins, 3, arguments(2))

  protected def asking(arguments: Seq[Expression]): SketchPair => Any = {
    val bins = Arguments.constant(arguments(2)).asInstanceOf[Number].intValue
    pair => BoundedNumberRow.of(StabilityIndex.of(pair, bins))
  }
}

case object SketchWasserstein extends AboutPair("sketch_wasserstein") {
  protected def asking(arguments: Seq[Expression]): SketchPair => Any =
    pair => BoundedNumberRow.of(Wasserstein.of(pair))
}

/** Checks and reads the arguments `phi, confidence, design_effect`, of which `phi` is at this index. */
private final class SampleArguments(first: Int) {
  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkPhi(first + 1, arguments(first)),
    () => Arguments.checkParameter(QuantileInterval.Confidence, first + 2, arguments(first + 1)),
    () =>
      arguments(first + 2).dataType match {
        case _: NumericType | NullType => TypeCheckSuccess
        case _ => Arguments.unexpectedType(first + 3, "NUMERIC", arguments(first + 2))
      }
  )

  /** The function from the values of all arguments to the answer, given that for one φ and a design effect. */
  def answers(arguments: Seq[Expression])(answer: (Array[Any], Double) => Phi => Any): Array[Any] => Any = {
    val phi = arguments(first)
    val constant = if (phi.foldable) Phis.of(Arguments.constant(phi), phi.dataType) else null
    values => {
      val phis = if (constant == null) Phis.of(values(first), phi.dataType) else constant
      val one = answer(values, Arguments.number(values(first + 2)))
      if (one == null) null else phis.map(one)
    }
  }

  def confidence(arguments: Seq[Expression]): Double = Arguments.parameter(arguments(first + 1))
}

/** `sketch_quantile_interval(sketch, phi, confidence, design_effect, type)`: a confidence interval of the population's quantile. */
case object SketchQuantileInterval extends Question("sketch_quantile_interval") {
  override def readsSummary: Boolean = true

  private val sampled = new SampleArguments(1)

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => sampled.check(arguments),
    () => Questions.checkType(name, 5, arguments(4))
  )

  override def settled(arguments: Seq[Expression]): Seq[Expression] =
    arguments.updated(4, Questions.settledType(arguments(4)))

  def dataType(arguments: Seq[Expression]): DataType = {
    val end = Questions.typeNamed(arguments(4)).dataType
    val one = new StructType().add("value", end, nullable = false).add("low", end).add("high", end)
    Phis.typed(arguments(1), one)
  }

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val to = Questions.typeNamed(arguments(4))
    val confidence = sampled.confidence(arguments)
    sampled.answers(arguments) { (values, effect) =>
      val bounded = Capabilities.requireBounded(reader.open(values(0)))
      if (bounded.profile.isEmpty) null
      else
        phi => QuantileInterval.of(bounded, phi, confidence, effect).fold(null: Any)(row(_, bounded, phi, to))
    }
  }

  private def row(interval: QuantileInterval, summary: Summary, phi: Phi, to: KeyCodec): Any = {
    def as(key: Long, rounding: Conversion.Rounding): Any =
      Questions.convert(key, summary.domain, to, rounding, t => s"$name(sketch, $phi, type => '$t')")
    new GenericInternalRow(Array[Any](
      as(interval.value, Conversion.Nearest),
      interval.low.fold(null: Any)(as(_, Conversion.Down)),
      interval.high.fold(null: Any)(as(_, Conversion.Up))
    ))
  }
}

/** `sketch_quantile_difference(a, b, phi, confidence, design_effect)`: the quantile of one population less that of another. */
case object SketchQuantileDifference extends Question("sketch_quantile_difference") {
  private val sampled = new SampleArguments(2)

  private val fields = new StructType()
    .add("value", DoubleType, nullable = false)
    .add("low", DoubleType)
    .add("high", DoubleType)
    .add("p_value", DoubleType, nullable = false)

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () => Arguments.checkSketch(2, arguments(1)),
    () => sampled.check(arguments)
  )

  def dataType(arguments: Seq[Expression]): DataType = Phis.typed(arguments(2), fields)

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val (left, right) = (new SketchReader, new SketchReader)
    val confidence = sampled.confidence(arguments)
    sampled.answers(arguments) { (values, effect) =>
      val a = Capabilities.requireBounded(left.open(values(0)))
      val b = Capabilities.requireBounded(right.open(values(1)))
      if (a.profile.isEmpty || b.profile.isEmpty) null else row(a, b, _, confidence, effect)
    }
  }

  private def row(a: Bounded, b: Bounded, phi: Phi, confidence: Double, effect: Double): Any =
    QuantileDifference.of(a, b, phi, confidence, effect).fold(null: Any) { difference =>
      def orNull(end: Option[Double]): Any = end.fold(null: Any)(identity)
      new GenericInternalRow(
        Array[Any](difference.value, orNull(difference.low), orNull(difference.high), difference.pValue)
      )
    }
}
