package chronosketch.comparison

import java.math.BigInteger

import chronosketch.rank.RankProfile

/** The shares of a profile's elements that are ≤ a key at a position: the least, the greatest and the estimated one, as fractions.
  *
  * Guarantee  a share that is certain has the same fraction as bound and as estimate, so that the differences of certain shares are
  *            equal to the last bit
  * Units      positions are those of [[RankProfile.position]]; −1 is below the first key
  */
private[comparison] final class Shares(val profile: RankProfile) {
  private val isCertain = profile.countLow == profile.countHigh
  private val n = profile.countHigh

  /** The key that follows a position; the position must not be the last one. */
  def next(position: Int): Long = profile.key(position + 1)

  def isLast(position: Int): Boolean = position + 1 == profile.size

  def low(position: Int): Fraction = {
    val atMost = profile.rankLow(position)
    if (isCertain) Fraction(atMost, n)
    else {
      val above = profile.b1(position)
      if (above == 0) Fraction.One else part(atMost, above)
    }
  }

  def high(position: Int): Fraction = {
    val atMost = profile.rankHigh(position)
    if (isCertain) Fraction(atMost, n)
    else if (atMost == 0) Fraction.Zero
    else part(atMost, profile.b0(position))
  }

  def estimate(position: Int): Fraction = {
    if (isCertain) Fraction(profile.rank(position), n)
    else {
      // twice the middle of the bounds. The sum of all four is at least n
      val shift = if (n < Shares.Large) 0 else 2
      def sum(low: Long, high: Long): Long = (low >> shift) + (high >> shift)
      val atMost = sum(profile.rankLow(position), profile.rankHigh(position))
      Fraction(atMost, atMost + sum(profile.b0(position), profile.b1(position)))
    }
  }

  private def part(atMost: Long, above: Long): Fraction = {
    val shift = if (atMost < Shares.Large && above < Shares.Large) 0 else 2
    Fraction(atMost >> shift, (atMost >> shift) + (above >> shift))
  }

  /** Bounds on the share of the elements above one position, up to another one. */
  def between(after: Int, until: Int): (Double, Double) =
    (
      math.max(0.0, down(low(until).minus(high(after)))),
      math.min(1.0, up(high(until).minus(low(after))))
    )

  // fractions of one denominator have differences that are rounded once
  private def down(share: Double): Double = if (isCertain) share else share - Fraction.Error
  private def up(share: Double): Double = if (isCertain) share else share + Fraction.Error
}

private object Shares {

  /** Sums of four counts from here on may exceed 64 bits, so their last bits are dropped. That changes a share by less than
    * [[Fraction.Error]].
    */
  private val Large = 1L << 61
}

/** A fraction from 0 to 1 of two whole numbers; the denominator is positive. */
private[comparison] final case class Fraction(part: Long, whole: Long) {

  /** The difference of two fractions, with a relative error of at most 2⁻⁵¹.
    *
    * Numerator and denominator are exact, and each is rounded once. So the difference grows with this fraction and falls with the other
    * while the denominators stay: bounds do not cross, and equal fractions differ by 0.
    */
  def minus(that: Fraction): Double =
    if (whole == that.whole) (part - that.part).toDouble / whole.toDouble
    else if (Math.multiplyHigh(whole, that.whole) == 0 && whole * that.whole > 0)
      (part * that.whole - that.part * whole).toDouble / (whole * that.whole).toDouble
    else {
      def product(a: Long, b: Long): BigInteger = BigInteger.valueOf(a).multiply(BigInteger.valueOf(b))
      product(part, that.whole).subtract(product(that.part, whole)).doubleValue /
        product(whole, that.whole).doubleValue
    }
}

private[comparison] object Fraction {
  val Zero: Fraction = Fraction(0L, 1L)
  val One: Fraction = Fraction(1L, 1L)

  /** More than the error of a difference of fractions. */
  val Error: Double = 1e-15
}

/** Visits the ranges of keys in which the shares of two profiles stay as they are, in ascending order. */
private[comparison] final class KeyRanges(left: Shares, right: Shares) {

  /** The positions in the two profiles, and the first key of the range. */
  var leftPosition: Int = -1
  var rightPosition: Int = -1
  var start: Long = 0L

  def hasNext: Boolean = !left.isLast(leftPosition) || !right.isLast(rightPosition)

  /** The first key of the range that follows. There must be one. */
  def end: Long =
    if (left.isLast(leftPosition)) right.next(rightPosition)
    else if (right.isLast(rightPosition)) left.next(leftPosition)
    else math.min(left.next(leftPosition), right.next(rightPosition))

  /** Goes on to the next range. There must be one. */
  def advance(): Unit = {
    val key = end
    if (!left.isLast(leftPosition) && left.next(leftPosition) == key) leftPosition += 1
    if (!right.isLast(rightPosition) && right.next(rightPosition) == key) rightPosition += 1
    start = key
  }

  /** Bounds on |F − G| in this range, F and G being the shares at or below its keys. */
  def leastGap: Double = math.max(
    0.0,
    math.max(
      left.low(leftPosition).minus(right.high(rightPosition)),
      right.low(rightPosition).minus(left.high(leftPosition))
    )
  )
  def greatestGap: Double = math.max(
    left.high(leftPosition).minus(right.low(rightPosition)),
    right.high(rightPosition).minus(left.low(leftPosition))
  )

  /** The estimated |F − G| in this range. */
  def estimatedGap: Double =
    math.abs(left.estimate(leftPosition).minus(right.estimate(rightPosition)))
}
