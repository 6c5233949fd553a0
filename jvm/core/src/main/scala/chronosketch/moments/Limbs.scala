package chronosketch.moments

import java.math.BigInteger

/** Arithmetic on whole numbers of several 64-bit limbs in an array, without an object per number.
  *
  * Guarantee  exact: two's complement of 64·n bits in n longs, least significant first; the caller ensures that the result fits
  * Cost       one addition and one comparison per limb
  */
private[moments] object Limbs {

  /** 1 if a + b = `sum` overflowed 64 bits, otherwise 0. All are unsigned. */
  def carry(sum: Long, b: Long): Long = if (sum + Long.MinValue < b + Long.MinValue) 1L else 0L

  /** Upper 64 bits of the product of two unsigned numbers. */
  def high(a: Long, b: Long): Long = Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a)

  /** Adds the signed number high·2⁶⁴ + low, with `low` unsigned, to the n ≥ 2 limbs from `at` on. */
  def add(into: Array[Long], at: Int, n: Int, high: Long, low: Long): Unit = {
    val first = into(at) + low
    into(at) = first
    var over = carry(first, low)
    val sign = high >> 63
    var i = 1
    while (i < n) {
      val term = if (i == 1) high else sign
      val part = into(at + i) + term
      val sum = part + over
      // at most one of the two additions overflows
      over = carry(part, term) + carry(sum, over)
      into(at + i) = sum
      i += 1
    }
  }

  /** Adds a number of n limbs to the n limbs from `at` on, or subtracts it if `isNegative`. */
  def add(into: Array[Long], at: Int, n: Int, from: Array[Long], start: Int, isNegative: Boolean): Unit = {
    // −x is ~x + 1
    val flip = if (isNegative) -1L else 0L
    var over = -flip
    var i = 0
    while (i < n) {
      val term = from(start + i) ^ flip
      val part = into(at + i) + term
      val sum = part + over
      over = carry(part, term) + carry(sum, over)
      into(at + i) = sum
      i += 1
    }
  }

  /** Multiplies the unsigned number in the limbs by another one, in place. */
  def multiply(limbs: Array[Long], by: Long): Unit = {
    var over = 0L
    var i = 0
    while (i < limbs.length) {
      val low = limbs(i) * by
      val sum = low + over
      over = high(limbs(i), by) + carry(sum, over)
      limbs(i) = sum
      i += 1
    }
  }

  def toBig(limbs: Array[Long], at: Int, n: Int): BigInteger = {
    val bytes = new Array[Byte](8 * n)
    var i = 0
    while (i < bytes.length) {
      bytes(bytes.length - 1 - i) = (limbs(at + i / 8) >>> (8 * (i % 8))).toByte
      i += 1
    }
    new BigInteger(bytes)
  }

  /** The inverse of [[toBig]]. The number must fit. */
  def set(limbs: Array[Long], at: Int, n: Int, number: BigInteger): Unit = {
    var i = 0
    while (i < n) { limbs(at + i) = number.shiftRight(64 * i).longValue; i += 1 }
  }
}
