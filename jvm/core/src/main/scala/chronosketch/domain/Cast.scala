package chronosketch.domain

import java.math.{BigDecimal => Exact, RoundingMode}

import chronosketch.Refusal

/** Converts keys from one type to another, as Spark's CAST converts the values.
  *
  * Guarantee  keeps order: a key that is not above another one is not above it afterwards. Numbers become whole numbers by dropping
  *            their fraction, and decimals by rounding, a half away from zero; a DOUBLE has the digits then that it is written with. The
  *            nearest DOUBLE or FLOAT is chosen, of two the even one. A number beyond the type is refused, except that a DOUBLE beyond
  *            FLOAT becomes infinite. The time zone of a session plays no part
  * Cost       a few instructions, except for a DOUBLE as a DECIMAL: some microseconds
  */
final class Cast private (val from: Domain, val to: Domain) {

  /** Whether each key stays as it is, provided that the type has it. */
  val keepsKeys: Boolean =
    from.widen(to).contains(to) || (from.kind.isInteger && to.kind.isInteger) ||
      (!from.isFloating && from.isNumeric && !to.isFloating && to.isNumeric && from.scale == to.scale)

  private val factor: Long = Domain.pow10(math.abs(to.scale - from.scale))

  /** Whether `to` has every value of `from`, so that nothing is rounded or refused. */
  val isExact: Boolean =
    from.widen(to).contains(to) || (from.isNumeric && !from.isFloating && to.isNumeric && {
      if (to.isFloating)
        from.scale == 0 && from.digits <= (if (to.kind == Kind.Double) Domain.DoubleDigits
                                           else Domain.FloatDigits)
      else
        to.scale >= from.scale && BigInt(from.greatest) * factor <= to.greatest &&
        BigInt(from.least) * factor >= to.least
    })

  /** The key in `to` of the value that `key` has in `from`. Refuses a value that `to` does not have. */
  def apply(key: Long): Long =
    if (keepsKeys) (if (from.isFloating) key else within(key, key))
    else if (from.isNumeric) number(key)
    else other(key)

  /** The keys of n values, in their order. */
  def all(keys: Array[Long], n: Int): Array[Long] = {
    val converted = new Array[Long](n)
    var i = 0
    while (i < n) { converted(i) = apply(keys(i)); i += 1 }
    converted
  }

  private def number(key: Long): Long =
    if (from.isFloating) {
      val value = DoubleKeys.value(key)
      if (to.isFloating) DoubleKeys.key(value.toFloat.toDouble)
      else if (value.isNaN || value.isInfinite) throw outOfRange(key)
      else if (to.kind == Kind.Decimal) unscaled(Cast.shortest(value), key)
      else if (value < -Cast.Beyond || value >= Cast.Beyond) throw outOfRange(key)
      else within(value.toLong, key)
    } else if (to.isFloating) DoubleKeys.key(floating(key))
    else if (to.scale > from.scale) {
      val high = Math.multiplyHigh(key, factor)
      val low = key * factor
      if (high != (low >> 63)) throw outOfRange(key)
      within(low, key)
    } else {
      val whole = key / factor
      val rest = math.abs(key % factor)
      val isUp = to.kind == Kind.Decimal && rest >= factor - rest
      within(if (!isUp) whole else if (key < 0) whole - 1 else whole + 1, key)
    }

  private def floating(key: Long): Double =
    if (from.scale == 0) { if (to.kind == Kind.Double) key.toDouble else key.toFloat.toDouble }
    else {
      val exact = Exact.valueOf(key, from.scale)
      if (to.kind == Kind.Double) exact.doubleValue else exact.floatValue.toDouble
    }

  private def unscaled(value: Exact, key: Long): Long = {
    val scaled = value.setScale(to.scale, RoundingMode.HALF_UP).unscaledValue
    if (scaled.bitLength > 63) throw outOfRange(key)
    within(scaled.longValue, key)
  }

  private def other(key: Long): Long = (from.kind, to.kind) match {
    case (Kind.Date, Kind.TimestampNtz) =>
      if (math.abs(key) > Long.MaxValue / Cast.DayMicros) throw outOfRange(key)
      key * Cast.DayMicros
    case (Kind.TimestampNtz, Kind.Date) => Math.floorDiv(key, Cast.DayMicros)
    case _ => key - key % unit
  }

  /** An interval or a TIME is cut to a multiple of this. */
  private lazy val unit: Long = to.kind match {
    case Kind.YearMonthInterval => if (to.second == 0) 12L else 1L
    case Kind.DayTimeInterval => Cast.FieldMicros(to.second)
    case _ => Domain.pow10(Cast.NanoDigits - to.first)
  }

  private def within(converted: Long, key: Long): Long =
    if (to.least <= converted && converted <= to.greatest) converted else throw outOfRange(key)

  private def outOfRange(key: Long): Refusal = {
    val value = if (from.isNumeric) Cast.text(key, from) else s"${from.sql} ${Cast.text(key, from)}"
    Refusal(
      "CHRONOSKETCH_VALUE_OUT_OF_RANGE",
      "value" -> value,
      "type" -> to.sql,
      "fix" -> (
        if (from.isFloating && DoubleKeys.value(key).isNaN)
          "Leave NaN out when you build the sketch, or keep its type."
        else if (from.isNumeric && !from.isFloating) "Cast to a wider type: sketch_cast(sketch, 'DOUBLE')."
        else "Keep the type of the sketch."
      )
    )
  }
}

object Cast {
  private val DayMicros = 86400000000L
  private val FieldMicros = Array(DayMicros, 3600000000L, 60000000L, 1L)
  private val NanoDigits = 9

  /** 2⁶³, the first whole number above all of 64 bits. */
  private val Beyond = Math.scalb(1.0, 63)

  /** The most digits that a double is written with, and the most that every double has. */
  private val MostDigits = 17
  private val LeastDigits = 15

  /** The cast of one type to another. None if there is none that keeps the order of all values, whatever the session. */
  def of(from: Domain, to: Domain): Option[Cast] = Option.when(isAllowed(from, to))(new Cast(from, to))

  private def isAllowed(from: Domain, to: Domain): Boolean =
    if (from.isNumeric || to.isNumeric) from.isNumeric && to.isNumeric
    else
      from.kind == to.kind || ((from.kind, to.kind) match {
        case (Kind.Date, Kind.TimestampNtz) | (Kind.TimestampNtz, Kind.Date) => true
        case _ => false
      })

  /** The shortest decimal that is nearest to this double, and of those the closest. The text of a double in Java before version 19 can
    * be longer.
    */
  private[domain] def shortest(value: Double): Exact = {
    val exact = new Exact(value)
    var digits = LeastDigits
    var found: Exact = null
    while (found == null && digits < MostDigits) {
      val down = exact.round(new java.math.MathContext(digits, RoundingMode.DOWN))
      val up = exact.round(new java.math.MathContext(digits, RoundingMode.UP))
      val isDown = down.doubleValue == value
      val isUp = up.doubleValue == value
      if (isDown || isUp) {
        val isUpCloser = up.subtract(exact).abs.compareTo(exact.subtract(down).abs) < 0
        found = if (isUp && (!isDown || isUpCloser)) up else down
      }
      digits += 1
    }
    if (found == null) exact.round(new java.math.MathContext(MostDigits, RoundingMode.HALF_EVEN)) else found
  }

  /** Writes a value for messages: a number as SQL writes it, others as their key. */
  private def text(key: Long, domain: Domain): String =
    if (domain.isFloating) DoubleKeys.value(key).toString
    else if (domain.isNumeric) Exact.valueOf(key, domain.scale).toPlainString
    else key.toString
}
