package chronosketch.qlove

import chronosketch.domain.{Domain, DoubleKeys}

/** Rounds numbers to a number of significant digits.
  *
  * Guarantee  the relative error is at most ½·10^(1−digits); halves are rounded away from zero; if the type does not contain the nearest
  *            number, rounds towards zero. NaN, infinities and doubles beyond 10^±290 are not changed
  * Cost       a division and a multiplication
  * Source     Lim et al. 2019, §3.1: low-order digits are zeroed so that more values repeat
  */
private[qlove] object SignificantDigits {
  final val Most = 17

  private val powers: Array[Long] = Array.iterate(1L, 19)(_ * 10)

  /** The powers of ten from 10^−308 on. */
  private val doublePowers: Array[Double] = Array.tabulate(617)(i => s"1e${i - 308}".toDouble)

  def round(key: Long, domain: Domain, digits: Int): Long =
    if (!domain.isFloating) whole(key, domain, digits)
    else {
      val rounded = floating(DoubleKeys.value(key), digits)
      if (domain == Domain.Float) DoubleKeys.key(rounded.toFloat.toDouble) else DoubleKeys.key(rounded)
    }

  private def whole(key: Long, domain: Domain, digits: Int): Long = {
    // use negative numbers, because −Long.MinValue overflows
    val value = if (key < 0) key else -key
    var length = 1
    while (length < 19 && value <= -powers(length)) length += 1
    if (length <= digits) key
    else {
      val unit = powers(length - digits)
      val down = value / unit * unit
      val away = down - unit // overflows if there is no such Long
      val nearest = if (down - value >= unit - (down - value) && away < 0) away else down
      val signed = if (key < 0) nearest else -nearest
      if (domain.least <= signed && signed <= domain.greatest) signed
      else if (key < 0) down
      else -down
    }
  }

  private def floating(value: Double, digits: Int): Double = {
    val size = math.abs(value)
    if (!(size >= 1e-290 && size <= 1e290)) value
    else {
      val exponent = StrictMath.floor(StrictMath.log10(size)).toInt
      val places = digits - 1 - exponent
      // multiply or divide, so that the power of ten is exact if possible
      val scaled = if (places >= 0) size * doublePowers(places + 308) else size / doublePowers(308 - places)
      val rounded = StrictMath.floor(scaled + 0.5)
      Math.copySign(
        if (places >= 0) rounded / doublePowers(places + 308) else rounded * doublePowers(308 - places),
        value
      )
    }
  }
}
