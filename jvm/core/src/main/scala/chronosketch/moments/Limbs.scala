package chronosketch.moments

import java.math.BigInteger

/** How are sums of powers kept that no long holds, without an object a row?
  *
  * Guarantee  exact: two's complement of 64·n bits, in n longs of an array, least significant first; the caller knows that the sum fits
  * Cost       an addition and a comparison a limb
  */
private[moments] object Limbs {

  /** 1 where a + b, which came to `sum`, went beyond 64 bits: all unsigned. */
  def carry(sum: Long, b: Long): Long = if (sum + Long.MinValue < b + Long.MinValue) 1L else 0L

  /** The upper 64 bits of a product of unsigned numbers. */
  def high(a: Long, b: Long): Long = Math.multiplyHigh(a, b) + ((a >> 63) & b) + ((b >> 63) & a)

  /** Adds the signed number high·2⁶⁴ + low, `low` unsigned, to the n ≥ 2 limbs from `at` on. */
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
      // at most one of the two goes beyond
      over = carry(part, term) + carry(sum, over)
      into(at + i) = sum
      i += 1
    }
  }

  /** Adds the first n limbs of another number of n limbs, or takes them away. */
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

  /** The product of the unsigned number in the limbs and another, into the same limbs. */
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

  /** The way back, of a number that fits. */
  def set(limbs: Array[Long], at: Int, n: Int, number: BigInteger): Unit = {
    var i = 0
    while (i < n) { limbs(at + i) = number.shiftRight(64 * i).longValue; i += 1 }
  }
}
