package chronosketch.moments

import java.math.BigInteger

/** Sums of the first four powers of whole numbers.
  *
  * Guarantee  exact: for 2⁶³ longs Σx is below 2¹²⁶, Σx² below 2¹⁹⁰, |Σx³| below 2²⁵³ and Σx⁴ below 2³¹⁶ in magnitude, and 128,
  *            192, 256 and 320 bits hold them with their signs. So the result does not depend on order or partitioning
  * Cost       a block of numbers below 2¹³ takes one multiplication per power and row, one below 2³¹ products of 128 bits, others
  *            of 256; 112 bytes
  */
private[moments] final class PowerSums {
  import PowerSums._

  private val limbs = new Array[Long](Size)

  def sum(power: Int): BigInteger = Limbs.toBig(limbs, Start(power), power + 1)

  def set(power: Int, sum: BigInteger): Unit = Limbs.set(limbs, Start(power), power + 1, sum)

  def add(that: PowerSums): Unit = {
    var power = 1
    while (power <= Powers) {
      Limbs.add(limbs, Start(power), power + 1, that.limbs, Start(power), isNegative = false)
      power += 1
    }
  }

  /** Adds up to [[Block.Rows]] numbers, all of them between `least` and `greatest`. */
  def add(numbers: Array[Long], from: Int, until: Int, least: Long, greatest: Long): Unit =
    if (-Small <= least && greatest <= Small) addSmall(numbers, from, until)
    else if (Int.MinValue <= least && greatest <= Int.MaxValue) addInts(numbers, from, until)
    else addLongs(numbers, from, until)

  private def addSmall(numbers: Array[Long], from: Int, until: Int): Unit = {
    var s1, s2, s3, s4 = 0L
    var i = from
    while (i < until) {
      val x = numbers(i)
      val square = x * x
      s1 += x
      s2 += square
      s3 += square * x
      s4 += square * square
      i += 1
    }
    add(1, s1 >> 63, s1)
    add(2, 0L, s2)
    add(3, s3 >> 63, s3)
    add(4, 0L, s4)
  }

  /** Squares are below 2⁶³ and fourth powers below 2¹²⁵. The upper and the lower 32 bits of their upper halves are summed
    * separately, so that no sum overflows.
    */
  private def addInts(numbers: Array[Long], from: Int, until: Int): Unit = {
    var s1, s2, s2High, s3, s3High, s4, s4Middle, s4High = 0L
    var i = from
    while (i < until) {
      val x = numbers(i)
      val square = x * x
      s1 += x
      s2 += square & Lower
      s2High += square >>> 32
      val cube = square * x
      s3 += cube
      s3High += Math.multiplyHigh(square, x) + Limbs.carry(s3, cube)
      val fourth = square * square
      s4 += fourth
      val upper = Math.multiplyHigh(square, square) + Limbs.carry(s4, fourth)
      s4Middle += upper & Lower
      s4High += upper >>> 32
      i += 1
    }
    add(1, s1 >> 63, s1)
    add(2, 0L, s2)
    add(2, s2High >>> 32, s2High << 32)
    add(3, s3High, s3)
    add(4, 0L, s4)
    addAbove(4, s4Middle, s4High)
  }

  /** Adds (high·2³² + middle)·2⁶⁴. */
  private def addAbove(power: Int, middle: Long, high: Long): Unit = {
    Limbs.add(limbs, Start(power) + 1, power, 0L, middle)
    Limbs.add(limbs, Start(power) + 1, power, high >>> 32, high << 32)
  }

  private def add(power: Int, high: Long, low: Long): Unit =
    Limbs.add(limbs, Start(power), power + 1, high, low)

  /** Sums each limb of the powers and its carries separately, so that no addition waits for the limb below. */
  private def addLongs(numbers: Array[Long], from: Int, until: Int): Unit = {
    var s1, s1High = 0L
    var a0, a1, a0Over, a1Over = 0L
    var b0, b1, b2, b0Over, b1Over, b2Over, signs = 0L
    var c0, c1, c2, c3, c0Over, c1Over, c2Over, c3Over = 0L
    var i = from
    while (i < until) {
      val x = numbers(i)
      val low = x * x
      val high = Math.multiplyHigh(x, x)
      s1 += x
      s1High += (x >> 63) + Limbs.carry(s1, x)
      a0 += low
      a0Over += Limbs.carry(a0, low)
      a1 += high
      a1Over += Limbs.carry(a1, high)

      // the cube of |x|, unsigned, and its two's complement if x is negative
      val size = math.abs(x)
      val flip = x >> 63
      val above = high * size
      val upper = Limbs.high(low, size) + above
      val n0 = (low * size ^ flip) - flip
      val over = -flip & isZero(n0)
      val n1 = (upper ^ flip) + over
      val n2 = ((Limbs.high(high, size) + Limbs.carry(upper, above)) ^ flip) + (over & isZero(n1))
      b0 += n0
      b0Over += Limbs.carry(b0, n0)
      b1 += n1
      b1Over += Limbs.carry(b1, n1)
      b2 += n2
      b2Over += Limbs.carry(b2, n2)
      signs += flip

      // the square of the square
      val cross = low * high
      val twice = cross << 1
      val twiceHigh = Limbs.high(low, high) << 1 | cross >>> 63
      val e0 = low * low
      val e1 = Limbs.high(low, low) + twice
      val part = high * high + twiceHigh
      val e2 = part + Limbs.carry(e1, twice)
      val e3 = Math.multiplyHigh(high, high) + Limbs.carry(part, twiceHigh) + Limbs.carry(e2, part)
      c0 += e0
      c0Over += Limbs.carry(c0, e0)
      c1 += e1
      c1Over += Limbs.carry(c1, e1)
      c2 += e2
      c2Over += Limbs.carry(c2, e2)
      c3 += e3
      c3Over += Limbs.carry(c3, e3)
      i += 1
    }
    add(1, s1High, s1)
    addAt(2, 0, a0Over, a0)
    addAt(2, 1, a1Over, a1)
    addAt(3, 0, b0Over, b0)
    addAt(3, 1, b1Over, b1)
    addAt(3, 2, b2Over, b2)
    limbs(Start(3) + 3) += signs
    addAt(4, 0, c0Over, c0)
    addAt(4, 1, c1Over, c1)
    addAt(4, 2, c2Over, c2)
    addAt(4, 3, c3Over, c3)
  }

  private def isZero(x: Long): Long = if (x == 0L) 1L else 0L

  /** Adds (over·2⁶⁴ + low)·2⁶⁴ⁱ. */
  private def addAt(power: Int, i: Int, over: Long, low: Long): Unit =
    Limbs.add(limbs, Start(power) + i, power + 1 - i, over, low)

  /** Adds copies(i) copies of each of up to [[Block.Rows]] numbers, all of them between `least` and `greatest`. */
  def add(
      numbers: Array[Long],
      copies: Array[Long],
      from: Int,
      until: Int,
      least: Long,
      greatest: Long
  ): Unit =
    if (-SmallCounted <= least && greatest <= SmallCounted) addSmall(numbers, copies, from, until)
    else {
      var i = from
      while (i < until) { add(numbers(i), copies(i)); i += 1 }
    }

  /** Fourth powers are at most 2⁶⁰, so the sum of up to 2⁶³ of them fits into 128 bits. */
  private def addSmall(numbers: Array[Long], copies: Array[Long], from: Int, until: Int): Unit = {
    var s1, s1High, s2, s2High, s3, s3High, s4, s4High = 0L
    var i = from
    while (i < until) {
      val x = numbers(i)
      val times = copies(i)
      val square = x * x
      val cube = square * x
      val fourth = square * square
      val t1 = x * times
      s1 += t1
      s1High += Math.multiplyHigh(x, times) + Limbs.carry(s1, t1)
      val t2 = square * times
      s2 += t2
      s2High += Math.multiplyHigh(square, times) + Limbs.carry(s2, t2)
      val t3 = cube * times
      s3 += t3
      s3High += Math.multiplyHigh(cube, times) + Limbs.carry(s3, t3)
      val t4 = fourth * times
      s4 += t4
      s4High += Math.multiplyHigh(fourth, times) + Limbs.carry(s4, t4)
      i += 1
    }
    add(1, s1High, s1)
    add(2, s2High, s2)
    add(3, s3High, s3)
    add(4, s4High, s4)
  }

  /** Adds `copies` copies of a number. */
  def add(x: Long, copies: Long): Unit = {
    val product = new Array[Long](Powers + 1)
    product(0) = copies
    val size = math.abs(x)
    var power = 1
    while (power <= Powers) {
      Limbs.multiply(product, size)
      val isNegative = x < 0 && power % 2 == 1
      Limbs.add(limbs, Start(power), power + 1, product, 0, isNegative)
      power += 1
    }
  }
}

private[moments] object PowerSums {
  val Powers = 4

  /** 256 fourth powers of numbers up to this are below 2⁶¹. */
  private val Small = 1L << 13

  /** The fourth power of a number up to this is at most 2⁶⁰. */
  private val SmallCounted = 1L << 15
  private val Lower = 0xffffffffL

  /** First limb of each power's sum; the sum of the p-th powers has p + 1 limbs. */
  private val Start = Array(0, 0, 2, 5, 9)
  private val Size = 14
}
