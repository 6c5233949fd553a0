package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{Expression, GenericInternalRow}
import org.apache.spark.sql.types._

import chronosketch.families.Capabilities
import chronosketch.moments.{ComomentsSketch, ComomentsSketches, MomentsSketch}
import chronosketch.spark.sql.{Arguments, Conditions}
import chronosketch.summary.{Moment, MomentBounds, Summary}

/** `f(sketch)`: a statistic of the values of a sketch. NULL where Spark's function of the same name returns NULL. */
private[spark] sealed abstract class MomentQuestion(name: String) extends Question(name) {
  override def readsSummary: Boolean = true

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.checkSketch(1, arguments(0))

  def dataType(arguments: Seq[Expression]): DataType = DoubleType

  /** The function from a sketch to the statistic, given the constant arguments. */
  protected def asked(arguments: Seq[Expression]): Summary => Option[Double]

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val ask = asked(arguments)
    values => ask(reader.open(values(0))).fold(null: Any)(identity)
  }
}

/** A question about one column, answered by any summary that has moments. */
private[spark] sealed abstract class OfMoments(name: String)(moment: Moment) extends MomentQuestion(name) {
  protected def asked(arguments: Seq[Expression]): Summary => Option[Double] =
    summary => Capabilities.requireMoments(summary).moment(moment)
}

/** A question about one column, answered only by all of its moments. */
private[spark] sealed abstract class OfValues(name: String)(ask: MomentsSketch => Option[Double])
    extends MomentQuestion(name) {
  protected def asked(arguments: Seq[Expression]): Summary => Option[Double] =
    summary => ask(Capabilities.requireAllMoments(summary))
}

/** A question about pairs of columns. */
private[spark] sealed abstract class OfPairs(name: String)(ask: ComomentsSketch => Option[Double])
    extends MomentQuestion(name) {
  protected def asked(arguments: Seq[Expression]): Summary => Option[Double] =
    summary => ask(Capabilities.requireFamily(ComomentsSketches, summary))
}

/** `f(sketch, population)`: a statistic that treats the rows as a sample or as the whole population. */
private[spark] sealed abstract class OfSampleOrPopulation(name: String) extends MomentQuestion(name) {
  override def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => super.check(arguments),
    () =>
      Arguments.checkConstant("population", "BOOLEAN", arguments(1)) {
        if (arguments(1).dataType == BooleanType) TypeCheckSuccess
        else Arguments.unexpectedType(2, "BOOLEAN", arguments(1))
      }
  )

  protected def ofSample(summary: Summary): Option[Double]
  protected def ofPopulation(summary: Summary): Option[Double]

  protected def asked(arguments: Seq[Expression]): Summary => Option[Double] =
    if (Arguments.constant(arguments(1)) == true) ofPopulation else ofSample
}

case object SketchSum extends OfMoments("sketch_sum")(Moment.Sum)
case object SketchMean extends OfMoments("sketch_mean")(Moment.Mean)
case object SketchSkewness extends OfValues("sketch_skewness")(_.skewness)
case object SketchKurtosis extends OfValues("sketch_kurtosis")(_.kurtosis)

case object SketchVariance extends OfSampleOrPopulation("sketch_variance") {
  protected def ofSample(s: Summary): Option[Double] = Capabilities.requireMoments(s).moment(Moment.Variance)
  protected def ofPopulation(s: Summary): Option[Double] =
    Capabilities.requireMoments(s).moment(Moment.VariancePop)
}

case object SketchStddev extends OfSampleOrPopulation("sketch_stddev") {
  protected def ofSample(s: Summary): Option[Double] = Capabilities.requireMoments(s).moment(Moment.Stddev)
  protected def ofPopulation(s: Summary): Option[Double] =
    Capabilities.requireMoments(s).moment(Moment.StddevPop)
}

case object SketchCovar extends OfSampleOrPopulation("sketch_covar") {
  protected def ofSample(s: Summary): Option[Double] =
    Capabilities.requireFamily(ComomentsSketches, s).covarSamp
  protected def ofPopulation(s: Summary): Option[Double] =
    Capabilities.requireFamily(ComomentsSketches, s).covarPop
}

case object SketchCorr extends OfPairs("sketch_corr")(_.corr)
case object SketchSlope extends OfPairs("sketch_slope")(_.slope)
case object SketchIntercept extends OfPairs("sketch_intercept")(_.intercept)
case object SketchR2 extends OfPairs("sketch_r2")(_.r2)

/** `sketch_moment_bounds(sketch, moment)`: a moment with bounds that contain the exact one. */
case object SketchMomentBounds extends Question("sketch_moment_bounds") {
  override def readsSummary: Boolean = true

  def dataType(arguments: Seq[Expression]): DataType = MomentBoundsRow.fields

  def check(arguments: Seq[Expression]): TypeCheckResult = Arguments.all(
    () => Arguments.checkSketch(1, arguments(0)),
    () =>
      Arguments.checkConstant("moment", "STRING", arguments(1)) {
        arguments(1).dataType match {
          case _: StringType =>
            if (named(arguments).isEmpty) {
              throw Conditions.analysisError(
                "CHRONOSKETCH_UNKNOWN_MOMENT",
                arguments(1).origin,
                "function" -> name,
                "moment" -> Arguments.constant(arguments(1)).toString,
                "known" -> Moment.all.map(_.name).mkString(", ")
              )
            }
            TypeCheckSuccess
          case _ => Arguments.unexpectedType(2, "STRING", arguments(1))
        }
      }
  )

  private def named(arguments: Seq[Expression]): Option[Moment] =
    Moment.named(Arguments.constant(arguments(1)).toString)

  def answering(arguments: Seq[Expression]): Array[Any] => Any = {
    val reader = new SketchReader
    val moment = named(arguments).get
    values =>
      Capabilities.requireMoments(
        reader.open(values(0))
      ).momentBounds(moment).fold(null: Any)(MomentBoundsRow.of)
  }
}

/** Converts a number with a lower and an upper bound of the exact one to a row. */
private[spark] object MomentBoundsRow {
  val fields: StructType = new StructType()
    .add("value", DoubleType, nullable = false)
    .add("lower", DoubleType, nullable = false)
    .add("upper", DoubleType, nullable = false)

  def of(bounds: MomentBounds): GenericInternalRow =
    new GenericInternalRow(Array[Any](bounds.value, bounds.lower, bounds.upper))
}
