package chronosketch.domain

import java.math.{BigDecimal => Exact, RoundingMode}

import chronosketch.Refusal

/** Converts values from one SQL type to another.
  *
  * Guarantee  exact arithmetic throughout. `Down` gives the greatest target value that is not above the exact one, `Up` the
  *            least that is not below it, and `Nearest` the closest; a half rounds away from zero, as in CAST to DECIMAL
  * Units      numbers convert to numbers. Intervals and TIME convert to their widened form, other types only to themselves
  */
object Conversion {
  sealed trait Rounding
  case object Nearest extends Rounding
  case object Down extends Rounding
  case object Up extends Rounding

  /** Returns the key in `to` of the value that `key` has in `from`. Refuses a value that `to` cannot hold. */
  def convert(key: Long, from: Domain, to: Domain, rounding: Rounding): Long = {
    if (!allowed(from, to))
      throw Refusal(
        "CHRONOSKETCH_VALUE_NOT_CONVERTIBLE",
        "asked" -> to.sql,
        "held" -> from.sql,
        "call" -> s"'${from.sql}'"
      )
    if (!needsArithmetic(from, to)) key
    else {
      val converted = real(key, from) match {
        case Right(exact) => round(exact, to, rounding)
        case Left(special) if to.isFloating => Some(DoubleKeys.key(special))
        case Left(_) => None
      }
      converted.getOrElse(
        throw outOfRange(text(key, from), to)
      )
    }
  }

  /** Returns the greatest key of `to` whose value is not above that of `key` in `from`; None if every value of `to` is above. */
  def floor(key: Long, from: Domain, to: Domain): Option[Long] = {
    if (!allowed(from, to))
      throw notComparable(from, to)
    if (!needsArithmetic(from, to)) Some(key)
    else
      real(key, from) match {
        case Left(special) if to.isFloating => Some(DoubleKeys.key(special))
        case Left(special) => if (special < 0) None else Some(to.greatest)
        case Right(exact) if to.isFloating => round(exact, to, Down)
        case Right(exact) =>
          val scaled = exact.setScale(to.second, RoundingMode.FLOOR).unscaledValue
          if (scaled.compareTo(java.math.BigInteger.valueOf(to.least)) < 0) None
          else if (scaled.compareTo(java.math.BigInteger.valueOf(to.greatest)) > 0) Some(to.greatest)
          else Some(scaled.longValueExact)
      }
  }

  /** Whether values of `from` convert to `to`. */
  def allowed(from: Domain, to: Domain): Boolean =
    if (from.isNumeric || to.isNumeric) from.isNumeric && to.isNumeric else from.widen(to).contains(to)

  /** The error for a number that a type does not have. */
  def outOfRange(value: String, to: Domain): Refusal = Refusal(
    "CHRONOSKETCH_VALUE_OUT_OF_RANGE",
    "value" -> value,
    "type" -> to.sql,
    "fix" -> "Name a wider type, or leave the type out to get a DOUBLE."
  )

  /** The error for a value that has no place among values of another type. */
  def notComparable(point: Domain, held: Domain): Refusal = Refusal(
    "CHRONOSKETCH_VALUE_NOT_COMPARABLE",
    "point" -> point.sql,
    "held" -> held.sql,
    "example" -> held.example
  )

  /** Writes a number in decimal digits, for messages. */
  def text(key: Long, domain: Domain): String = real(key, domain).fold(_.toString, _.toPlainString)

  private def needsArithmetic(from: Domain, to: Domain): Boolean =
    from.isNumeric && !from.widen(to).contains(to)

  /** Left: NaN or an infinity. Right: the exact value of any other number. */
  private def real(key: Long, domain: Domain): Either[Double, Exact] =
    if (domain.isFloating) {
      val value = DoubleKeys.value(key)
      if (value.isNaN || value.isInfinite) Left(value) else Right(new Exact(value))
    } else Right(Exact.valueOf(key, domain.second))

  /** Rounds a number to the type `to` and returns its key; None if it lies outside the range of `to`. */
  def round(exact: Exact, to: Domain, rounding: Rounding): Option[Long] = to.kind match {
    case Kind.Double =>
      Some(DoubleKeys.key(adjust[Double](
        exact,
        exact.doubleValue,
        identity,
        Math.nextDown(_: Double),
        Math.nextUp(_: Double),
        rounding
      )))
    case Kind.Float =>
      Some(
        DoubleKeys.key(
          adjust[Float](
            exact,
            exact.floatValue,
            _.toDouble,
            Math.nextDown(_: Float),
            Math.nextUp(_: Float),
            rounding
          ).toDouble
        )
      )
    case _ =>
      val mode = rounding match {
        case Nearest => RoundingMode.HALF_UP
        case Down => RoundingMode.FLOOR
        case Up => RoundingMode.CEILING
      }
      val scaled = exact.setScale(to.second, mode).unscaledValue
      if (scaled.bitLength > 63) None
      else Some(scaled.longValueExact).filter(key => to.least <= key && key <= to.greatest)
  }

  /** Moves the nearest floating-point value by one step if it lies on the wrong side of the exact one. */
  private def adjust[A](
      exact: Exact,
      nearest: A,
      toDouble: A => Double,
      down: A => A,
      up: A => A,
      rounding: Rounding
  ): A = {
    val d = toDouble(nearest)
    val side = if (d.isInfinite) (if (d > 0) 1 else -1) else new Exact(d).compareTo(exact)
    rounding match {
      case Down if side > 0 => down(nearest)
      case Up if side < 0 => up(nearest)
      case _ => nearest
    }
  }
}
