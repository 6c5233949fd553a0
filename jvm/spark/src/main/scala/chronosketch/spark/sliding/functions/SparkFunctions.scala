package chronosketch.spark.sliding.functions

import scala.reflect.ClassTag

import org.apache.spark.sql.catalyst.expressions.aggregate.{
  Count => RowCount,
  Mode => MostFrequentValue,
  _
}
import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import chronosketch.sliding.moments.{CrossStatistic, Statistic}
import chronosketch.spark.rows.{BitsOf, KeyOf}
import chronosketch.spark.sliding.structures._
import chronosketch.spark.sql.{KeyCodec, Phis, SparkVersion}

/** Describes how a function slides.
  *
  * @param elements   the values of a row that it inserts; the row is skipped if the first is NULL
  * @param statistics the statistics of these values, all answered by one structure
  * @param form       how the answer is read
  */
final case class FrameFunction(elements: Seq[Expression], statistics: Seq[FrameStatistic], form: AnswerForm)

/** Lists Spark's own functions that can slide, and tells how each does.
  *
  * Guarantee  the same types, answers, NULLs and errors as Spark's, except
  *            - sums and means of floating-point numbers, and functions of moments, are within the bounds that
  *              [[chronosketch.sliding.moments.DoubleSums]], [[chronosketch.sliding.moments.FrameMoments]] and
  *              [[chronosketch.sliding.moments.CrossMoments]] state; Spark's own depend on the order of rows
  *            - a sum of whole numbers whose partial sums overflow, but not the final one, is returned; Spark fails
  *            - `percentile_approx` and `approx_count_distinct` are exact. Among several modes, `mode` returns the least; Spark
  *              returns any. `percentile_approx`, `approx_count_distinct` and `percentile` treat 0.0 and -0.0 as one value
  *
  * Calls that can't keep this guarantee, and calls that cost no more in Spark's operator, are declined.
  */
object SparkFunctions {

  /** A function that slides.
    *
    * @param name     its name in the setting
    * @param synonyms its other names in SQL
    */
  private final case class SlidingFunction[F <: AggregateFunction](name: String, synonyms: Seq[String])(
      slide: F => Either[String, FrameFunction]
  )(implicit function: ClassTag[F]) {

    /** How a call slides, or why it does not. None if it calls another function. */
    def sliding(f: AggregateFunction): Option[Either[String, FrameFunction]] = function.unapply(f).map(slide)

    def isOf(f: AggregateFunction): Boolean = function.runtimeClass.isInstance(f)
  }

  private def row[F <: AggregateFunction: ClassTag](name: String, synonyms: String*)(
      slide: F => Either[String, FrameFunction]
  ): SlidingFunction[F] = SlidingFunction[F](name, synonyms)(slide)

  private val rows: Seq[SlidingFunction[_ <: AggregateFunction]] = Seq(
    row[ApproximatePercentile]("percentile_approx", "approx_percentile")(quantile),
    row[Percentile]("percentile")(percentile),
    row[MostFrequentValue]("mode")(mode),
    row[HyperLogLogPlusPlus]("approx_count_distinct")(f =>
      key(f.child).map(k => plain(Seq(k), DistinctKeyCount, LongType))
    ),
    row[Min]("min")(f => extreme(f.child, isLeast = true)),
    row[Max]("max")(f => extreme(f.child, isLeast = false)),
    row[MinBy]("min_by")(f => minMaxBy(f.valueExpr, f.orderingExpr, isLeast = true)),
    row[MaxBy]("max_by")(f => minMaxBy(f.valueExpr, f.orderingExpr, isLeast = false)),
    row[RowCount]("count")(f => count(f.children)),
    row[Sum]("sum")(f => sum(f.child, SparkVersion.evalMode(f), f.dataType)),
    row[Average]("avg", "mean")(f => mean(f.child, f.dataType)),
    row[VariancePop]("var_pop")(f => moment(f.child, Statistic.VariancePop)),
    row[VarianceSamp]("var_samp", "variance")(f =>
      moment(f.child, Statistic.VarianceSamp, f.nullOnDivideByZero)
    ),
    row[StddevPop]("stddev_pop")(f => moment(f.child, Statistic.StddevPop)),
    row[StddevSamp]("stddev_samp", "stddev", "std")(f =>
      moment(f.child, Statistic.StddevSamp, f.nullOnDivideByZero)
    ),
    row[Skewness]("skewness")(f => moment(f.child, Statistic.Skewness, f.nullOnDivideByZero)),
    row[Kurtosis]("kurtosis")(f => moment(f.child, Statistic.Kurtosis, f.nullOnDivideByZero)),
    row[Corr]("corr")(f => crossMoment(f.x, f.y, CrossStatistic.Corr, f.nullOnDivideByZero)),
    row[CovPopulation]("covar_pop")(f =>
      crossMoment(f.left, f.right, CrossStatistic.CovarPop, f.nullOnDivideByZero)
    ),
    row[CovSample]("covar_samp")(f =>
      crossMoment(f.left, f.right, CrossStatistic.CovarSamp, f.nullOnDivideByZero)
    ),
    // the left argument is y
    row[RegrSlope]("regr_slope")(f => crossMoment(f.right, f.left, CrossStatistic.RegrSlope)),
    row[RegrIntercept]("regr_intercept")(f => crossMoment(f.right, f.left, CrossStatistic.RegrIntercept)),
    row[RegrR2]("regr_r2")(f => crossMoment(f.x, f.y, CrossStatistic.RegrR2)),
    row[RegrSXY]("regr_sxy")(f => crossMoment(f.x, f.y, CrossStatistic.RegrSxy)),
    row[RegrReplacement]("regr_sxx", "regr_syy")(f => moment(f.child, Statistic.Squares)),
    row[BitAndAgg]("bit_and")(f => bits(f.child, BitsAnd)),
    row[BitOrAgg]("bit_or")(f => bits(f.child, BitsOr)),
    row[BitXorAgg]("bit_xor")(f => bits(f.child, BitsXor))
  )

  /** The names that the setting may list. */
  val Names: Set[String] = rows.map(_.name).toSet

  /** Other SQL names of these functions, and the name in the setting for each. */
  val Synonyms: Map[String, String] = rows.flatMap(r => r.synonyms.map(_ -> r.name)).toMap

  /** The name of a function in the setting, if it can slide. */
  def name(f: AggregateFunction): Option[String] = rows.find(_.isOf(f)).map(_.name)

  /** How a function slides, or why it does not. */
  def sliding(f: AggregateFunction): Either[String, FrameFunction] =
    rows.iterator.flatMap(_.sliding(f)).nextOption().getOrElse(Left(s"${f.prettyName} can't slide"))

  private def count(children: Seq[Expression]): Either[String, FrameFunction] = {
    val nulls = children.filter(_.nullable).map(IsNull(_))
    val some = nulls.reduceOption[Expression](Or(_, _))
    val zero = Literal(0L)
    val element = some.fold[Expression](zero)(If(_, Literal(null, LongType), zero))
    Right(plain(Seq(element), FrameCount, LongType))
  }

  private def sum(child: Expression, mode: Any, dataType: DataType): Either[String, FrameFunction] =
    (child.dataType, dataType) match {
      case (FloatType | DoubleType, _) => Right(plain(Seq(doubleBits(child)), DoubleSum, DoubleType))
      case (ByteType | ShortType | IntegerType | LongType, _) =>
        val onOverflow =
          if (mode == EvalMode.ANSI) Outcome.Overflow
          else if (mode == EvalMode.TRY) Outcome.Null
          else Outcome.Value
        key(child).map(k => plain(Seq(k), LongSum(onOverflow), LongType))
      case (_: DecimalType, sum: DecimalType) =>
        // values have at most 18 digits, so that a sum of as many rows as fit an array can't overflow its type
        key(child).map(k => FrameFunction(Seq(k), Seq(LongSum(Outcome.Value), SumHighWord), DecimalForm(sum)))
      case (other, _) => Left(s"its values are ${other.sql}")
    }

  private def mean(child: Expression, dataType: DataType): Either[String, FrameFunction] =
    (child.dataType, dataType) match {
      case (FloatType | DoubleType, _) => Right(plain(Seq(doubleBits(child)), DoubleMean, DoubleType))
      case (ByteType | ShortType | IntegerType | LongType, _) =>
        key(child).map(k => plain(Seq(k), LongMean, DoubleType))
      case (values: DecimalType, mean: DecimalType) =>
        key(child).map { k =>
          val statistics = Seq(LongSum(Outcome.Value), SumHighWord, SumCount)
          FrameFunction(Seq(k), statistics, DecimalMeanForm(values.scale, mean))
        }
      case (other, _) => Left(s"its values are ${other.sql}")
    }

  private def undefined(isNull: Boolean): Int = if (isNull) Outcome.Null else Outcome.Value
  private def divided: Int = if (SQLConf.get.ansiEnabled) Outcome.DivisionByZero else Outcome.Null

  private def moment(
      x: Expression,
      statistic: Statistic,
      isNull: Boolean = true
  ): Either[String, FrameFunction] =
    Right(plain(Seq(doubleBits(x)), FrameMoment(statistic, undefined(isNull), divided), DoubleType))

  private def crossMoment(
      x: Expression,
      y: Expression,
      statistic: CrossStatistic,
      isNull: Boolean = true
  ): Either[String, FrameFunction] = {
    val both = if (y.nullable) If(IsNull(y), Literal(null, LongType), doubleBits(x)) else doubleBits(x)
    val moment = FrameCrossMoment(statistic, undefined(isNull), divided)
    Right(plain(Seq(both, doubleBits(y)), moment, DoubleType))
  }

  private def minMaxBy(
      value: Expression,
      order: Expression,
      isLeast: Boolean
  ): Either[String, FrameFunction] =
    for {
      orderKey <- key(order).left.map(_.replace("its values are", "its order is"))
      word <- value.dataType match {
        case FloatType | DoubleType => Right(doubleBits(value))
        case _ => key(value)
      }
    } yield plain(Seq(orderKey, word), MinMaxBy(isLeast), value.dataType)

  private def bits(child: Expression, statistic: BitStatistic): Either[String, FrameFunction] =
    key(child).map(k => plain(Seq(k), statistic, child.dataType))

  private def mode(f: MostFrequentValue): Either[String, FrameFunction] = f.child.dataType match {
    case FloatType | DoubleType => Left(s"its values are ${f.child.dataType.sql}")
    case other =>
      val isGreatest = f.reverseOpt.contains(false)
      key(f.child).map(k => plain(Seq(k), MostFrequentKey(isGreatest), other))
  }

  private def percentile(f: Percentile): Either[String, FrameFunction] =
    if (f.frequencyExpression != Literal(1L)) Left("its values have a frequency")
    else if (f.reverse) Left("its order is descending")
    else if (!f.child.dataType.isInstanceOf[NumericType]) Left(s"its values are ${f.child.dataType.sql}")
    else
      key(f.child).flatMap { k =>
        def statistic(share: Double): FrameStatistic = InterpolatedPercentile(share, f.child.dataType)
        f.percentageExpression.eval() match {
          case share: Double => Right(plain(Seq(k), statistic(share), DoubleType))
          case shares: ArrayData if shares.numElements() > 0 =>
            Right(FrameFunction(Seq(k), shares.toDoubleArray().toSeq.map(statistic), DoublesForm(f.dataType)))
          case _ => Left("it gives no percentile")
        }
      }

  private def quantile(f: ApproximatePercentile): Either[String, FrameFunction] =
    key(f.child).flatMap { k =>
      val shares = f.percentageExpression
      val value = shares.eval()
      val hasPercentile = value match {
        case array: ArrayData => array.numElements() > 0
        case share => share != null
      }
      if (!hasPercentile) Left("it gives no percentile")
      else {
        val phis = Phis.of(value, shares.dataType).all
        val form = QuantileForm(value, shares.dataType, isBounds = false, f.child.dataType, f.dataType)
        Either.cond(
          !phis.contains(null),
          FrameFunction(Seq(k), phis.map(KeyQuantile(_)), form),
          "it asks for a percentile that is NULL"
        )
      }
    }

  private def extreme(child: Expression, isLeast: Boolean): Either[String, FrameFunction] =
    child.dataType match {
      case FloatType | DoubleType =>
        Right(plain(Seq(doubleBits(child)), ExtremeDouble(isLeast), child.dataType))
      case other => key(child).map(k => plain(Seq(k), ExtremeKey(isLeast), other))
    }

  /** A function whose answer is one word. */
  private def plain(elements: Seq[Expression], statistic: FrameStatistic, dataType: DataType): FrameFunction =
    FrameFunction(elements, Seq(statistic), WordForm(dataType))

  private def doubleBits(e: Expression): Expression =
    BitsOf(if (e.dataType == DoubleType) e else Cast(e, DoubleType))

  private def key(e: Expression): Either[String, Expression] = e.dataType match {
    case NullType => Left("its values are VOID")
    case other => KeyCodec.of(other).map(_ => KeyOf(e)).toRight(s"its values are ${other.sql}")
  }
}
