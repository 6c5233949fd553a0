package chronosketch.spark.sliding

import org.apache.spark.sql.catalyst.expressions.{Left => _, Right => _, _}
import org.apache.spark.sql.catalyst.expressions.aggregate.{Count => RowCount, Mode => MostFrequentValue, _}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import chronosketch.sliding.moments.{CrossStatistic, Statistic}
import chronosketch.spark.sql.{Phis, SparkLine, SqlValues}

/** Which of Spark's own functions over windows does the operator run, and how?
  *
  * Guarantee  Spark's type, and Spark's answer, NULL and errors, but for
  *            - sums and means of floating-point numbers, and what is made of moments: within the bounds that [[chronosketch.sliding.moments.DoubleSums]],
  *              [[chronosketch.sliding.moments.Moments]] and [[chronosketch.sliding.moments.CrossMoments]] state, where Spark's own depend on the order of rows
  *            - sums of whole numbers that overflow on the way and not in the end: the sum, where Spark fails
  *            - `percentile_approx`: exact; `mode`: of several the least, where Spark says any. Both, and `percentile`, have one zero
  *
  * What cannot be so, and what Spark's operator does at the same cost, is declined.
  */
object SparkCall {

  /** A window expression and what is made of it. */
  object Windowed {
    def unapply(e: Expression)
        : Option[(AggregateExpression, WindowSpecDefinition, Option[Expression => Expression])] =
      e match {
        case Alias(child, _) =>
          child.collect { case w: WindowExpression => w } match {
            case Seq(w @ WindowExpression(call: AggregateExpression, window)) =>
              val finish =
                Option.when(child ne w)((answer: Expression) => child.transform { case `w` => answer })
              if (finish.forall(_(Literal(null)).references.isEmpty)) Some((call, window, finish)) else None
            case _ => None
          }
        case _ => None
      }
  }

  /** The name that the setting has for a function, where it is one of Spark's that slide. */
  def name(e: Expression): Option[String] = e match {
    case Windowed(call, _, _) => names.lift(call.aggregateFunction)
    case _ => None
  }

  private val names: PartialFunction[AggregateFunction, String] = {
    case _: ApproximatePercentile => "percentile_approx"
    case _: Percentile => "percentile"
    case _: MostFrequentValue => "mode"
    case _: Min => "min"
    case _: Max => "max"
    case _: RowCount => "count"
    case _: Sum => "sum"
    case _: Average => "avg"
    case _: VariancePop => "var_pop"
    case _: VarianceSamp => "var_samp"
    case _: StddevPop => "stddev_pop"
    case _: StddevSamp => "stddev_samp"
    case _: Skewness => "skewness"
    case _: Kurtosis => "kurtosis"
    case _: Corr => "corr"
    case _: CovPopulation => "covar_pop"
    case _: CovSample => "covar_samp"
    case _: RegrSlope => "regr_slope"
    case _: RegrIntercept => "regr_intercept"
    case _: RegrR2 => "regr_r2"
    case _: RegrSXY => "regr_sxy"
    case _: RegrReplacement => "regr_sxx"
    case _: MinBy => "min_by"
    case _: MaxBy => "max_by"
    case _: BitAndAgg => "bit_and"
    case _: BitOrAgg => "bit_or"
    case _: BitXorAgg => "bit_xor"
  }

  /** Other names that SQL has for them. */
  val Synonyms: Map[String, String] = Map(
    "approx_percentile" -> "percentile_approx",
    "mean" -> "avg",
    "variance" -> "var_samp",
    "stddev" -> "stddev_samp",
    "std" -> "stddev_samp",
    "regr_syy" -> "regr_sxx"
  )

  val Names: Set[String] = Set(
    "percentile_approx",
    "percentile",
    "mode",
    "min",
    "max",
    "count",
    "sum",
    "avg",
    "var_pop",
    "var_samp",
    "stddev_pop",
    "stddev_samp",
    "skewness",
    "kurtosis",
    "corr",
    "covar_pop",
    "covar_samp",
    "regr_slope",
    "regr_intercept",
    "regr_r2",
    "regr_sxy",
    "regr_sxx",
    "min_by",
    "max_by",
    "bit_and",
    "bit_or",
    "bit_xor"
  )

  /** The call, or why Spark's own operator has to do it. */
  def of(e: Expression, order: Seq[SortOrder], zone: String): Either[String, SlidingCall] = e match {
    case Windowed(call, _, _) if call.isDistinct => Left("it is DISTINCT")
    case Windowed(call, window, finish) =>
      for {
        bounds <- SlidingCall.frame(window, order, zone)
        _ <- slides(bounds, call.aggregateFunction)
        sliding <- of(call.aggregateFunction)
      } yield SlidingCall(
        sliding.asks.head.kind,
        SlidingCall.filtered(sliding.elements.head, call.filter) +: sliding.elements.tail,
        bounds,
        sliding.asks,
        sliding.read,
        finish
      )
    case _ => Left("it is no aggregate function")
  }

  private def slides(bounds: FrameBounds, function: AggregateFunction): Either[String, Unit] =
    FrameBounds.slides(bounds) match {
      case Left(_) if bounds.upper != PartitionEnd && !function.isInstanceOf[DeclarativeAggregate] =>
        Right(())
      case known => known
    }

  /** What slides for a function, and how its answer is read. */
  private final case class Sliding(
      elements: Seq[Expression],
      asks: Seq[Ask],
      read: (Int, Seq[Int]) => SlidingAnswer
  )

  private def of(function: AggregateFunction): Either[String, Sliding] = function match {
    case Min(child) => extreme(child, isLeast = true)
    case Max(child) => extreme(child, isLeast = false)
    case RowCount(children) =>
      val nulls = children.filter(_.nullable).map(IsNull(_))
      val some = nulls.reduceOption[Expression](Or(_, _))
      val zero = Literal(0L)
      Right(plain(
        Seq(some.fold[Expression](zero)(If(_, Literal(null, LongType), zero))),
        Ask.Count,
        LongType
      ))
    case f @ Sum(child, _) => sum(child, SparkLine.evalMode(f), f.dataType)
    case f @ Average(child, _) => mean(child, f.dataType)
    case VariancePop(child, _) => moment(child, Statistic.VariancePop, isNull = true)
    case VarianceSamp(child, isNull) => moment(child, Statistic.VarianceSamp, isNull)
    case StddevPop(child, _) => moment(child, Statistic.StddevPop, isNull = true)
    case StddevSamp(child, isNull) => moment(child, Statistic.StddevSamp, isNull)
    case Skewness(child, isNull) => moment(child, Statistic.Skewness, isNull)
    case Kurtosis(child, isNull) => moment(child, Statistic.Kurtosis, isNull)
    case Corr(x, y, isNull) => crossMoment(x, y, CrossStatistic.Corr, isNull)
    case CovPopulation(x, y, isNull) => crossMoment(x, y, CrossStatistic.CovarPop, isNull)
    case CovSample(x, y, isNull) => crossMoment(x, y, CrossStatistic.CovarSamp, isNull)
    case RegrSlope(y, x) => crossMoment(x, y, CrossStatistic.RegrSlope, isNull = true)
    case RegrIntercept(y, x) => crossMoment(x, y, CrossStatistic.RegrIntercept, isNull = true)
    case RegrR2(y, x) => crossMoment(x, y, CrossStatistic.RegrR2, isNull = true)
    case RegrSXY(y, x) => crossMoment(x, y, CrossStatistic.RegrSxy, isNull = true)
    case RegrReplacement(child) => moment(child, Statistic.Squares, isNull = true)
    case MinBy(value, by) => beside(value, by, isLeast = true)
    case MaxBy(value, by) => beside(value, by, isLeast = false)
    case BitAndAgg(child) => key(child).map(k => plain(Seq(k), Ask.And, child.dataType))
    case BitOrAgg(child) => key(child).map(k => plain(Seq(k), Ask.Or, child.dataType))
    case BitXorAgg(child) => key(child).map(k => plain(Seq(k), Ask.Xor, child.dataType))
    case mode: MostFrequentValue =>
      mode.child.dataType match {
        case FloatType | DoubleType => Left(s"its values are ${mode.child.dataType.sql}")
        case other =>
          val isGreatest = mode.reverseOpt.contains(false)
          key(mode.child).map(k => plain(Seq(k), Ask.MostFrequent(isGreatest), other))
      }
    case p: Percentile => percentile(p)
    case p: ApproximatePercentile => approximate(p)
    case other => Left(s"${other.prettyName} does not slide")
  }

  private def sum(child: Expression, mode: Any, dataType: DataType): Either[String, Sliding] =
    (child.dataType, dataType) match {
      case (FloatType | DoubleType, _) => Right(plain(Seq(bits(child)), Ask.DoubleSum, DoubleType))
      case (ByteType | ShortType | IntegerType | LongType, _) =>
        val beyond =
          if (mode == EvalMode.ANSI) Outcome.Overflow
          else if (mode == EvalMode.TRY) Outcome.Null
          else Outcome.Value
        key(child).map(k => plain(Seq(k), Ask.LongSum(beyond), LongType))
      case (_: DecimalType, sum: DecimalType) =>
        // of so few digits no sum of as many rows as an array holds overflows
        key(child).map { k =>
          Sliding(Seq(k), Seq(Ask.LongSum(Outcome.Value), Ask.HighWord), DecimalAnswer(_, _, sum))
        }
      case (other, _) => Left(s"its values are ${other.sql}")
    }

  private def mean(child: Expression, dataType: DataType): Either[String, Sliding] =
    (child.dataType, dataType) match {
      case (FloatType | DoubleType, _) => Right(plain(Seq(bits(child)), Ask.DoubleMean, DoubleType))
      case (ByteType | ShortType | IntegerType | LongType, _) =>
        key(child).map(k => plain(Seq(k), Ask.LongMean, DoubleType))
      case (values: DecimalType, mean: DecimalType) =>
        key(child).map { k =>
          val asks = Seq(Ask.LongSum(Outcome.Value), Ask.HighWord, Ask.Elements)
          Sliding(Seq(k), asks, DecimalMeanAnswer(_, _, values.scale, mean))
        }
      case (other, _) => Left(s"its values are ${other.sql}")
    }

  private def undefined(isNull: Boolean): Int = if (isNull) Outcome.Null else Outcome.Value
  private def divided: Int = if (SQLConf.get.ansiEnabled) Outcome.DivisionByZero else Outcome.Null

  private def moment(x: Expression, statistic: Statistic, isNull: Boolean): Either[String, Sliding] =
    Right(plain(Seq(bits(x)), Ask.Moment(statistic, undefined(isNull), divided), DoubleType))

  private def crossMoment(
      x: Expression,
      y: Expression,
      statistic: CrossStatistic,
      isNull: Boolean
  ): Either[String, Sliding] = {
    val both = if (y.nullable) If(IsNull(y), Literal(null, LongType), bits(x)) else bits(x)
    Right(plain(Seq(both, bits(y)), Ask.CrossMoment(statistic, undefined(isNull), divided), DoubleType))
  }

  private def beside(value: Expression, by: Expression, isLeast: Boolean): Either[String, Sliding] =
    for {
      place <- key(by).left.map(_.replace("its values are", "its order is"))
      word <- value.dataType match {
        case FloatType | DoubleType => Right(bits(value))
        case _ => key(value)
      }
    } yield plain(Seq(place, word), Ask.Beside(isLeast), value.dataType)

  private def percentile(p: Percentile): Either[String, Sliding] =
    if (p.frequencyExpression != Literal(1L)) Left("its values have a frequency")
    else if (p.reverse) Left("its order is descending")
    else if (!p.child.dataType.isInstanceOf[NumericType]) Left(s"its values are ${p.child.dataType.sql}")
    else
      key(p.child).flatMap { k =>
        def ask(share: Double): Ask = Ask.Percentage(share, p.child.dataType)
        p.percentageExpression.eval() match {
          case share: Double => Right(plain(Seq(k), ask(share), DoubleType))
          case shares: ArrayData if shares.numElements() > 0 =>
            val asks = shares.toDoubleArray().toSeq.map(ask)
            Right(Sliding(Seq(k), asks, DoublesAnswer(_, _, p.dataType)))
          case _ => Left("it asks for no percentile")
        }
      }

  private def approximate(p: ApproximatePercentile): Either[String, Sliding] =
    key(p.child).flatMap { k =>
      val shares = p.percentageExpression
      val isAsked = shares.eval() match {
        case array: ArrayData => array.numElements() > 0
        case share => share != null
      }
      if (!isAsked) Left("it asks for no percentile")
      else {
        val phis = Phis.of(shares.eval(), shares.dataType)
        val read = QuantileAnswer(_, _, phis, isBounds = false, p.child.dataType, p.dataType)
        Either.cond(
          !phis.all.contains(null),
          Sliding(Seq(k), phis.all.map(Ask.Quantile(_)), read),
          "it asks for a percentile that is NULL"
        )
      }
    }

  private def extreme(child: Expression, isLeast: Boolean): Either[String, Sliding] =
    child.dataType match {
      case FloatType | DoubleType =>
        Right(plain(Seq(bits(child)), Ask.FloatingExtreme(isLeast), child.dataType))
      case other =>
        key(child).map(k => plain(Seq(k), Ask.Extreme(isLeast), other))
    }

  /** The word of an answer is the answer. */
  private def plain(elements: Seq[Expression], ask: Ask, dataType: DataType): Sliding =
    Sliding(elements, Seq(ask), WordAnswer(_, _, dataType, isPlain = true))

  private def bits(e: Expression): Expression =
    BitsOf(if (e.dataType == DoubleType) e else Cast(e, DoubleType))

  private def key(e: Expression): Either[String, Expression] = e.dataType match {
    case NullType => Left("its values are VOID")
    case other =>
      SqlValues.of(other).map(_ => KeyOf(e)).toRight(s"its values are ${other.sql}")
  }
}
