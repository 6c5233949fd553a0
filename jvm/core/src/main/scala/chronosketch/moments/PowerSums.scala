package chronosketch.moments

import java.math.BigInteger

/** What are the sums of the first four powers of whole numbers?
  *
  * Guarantee  exact: 2⁶³ longs have Σx below 2¹²⁶, Σx² below 2¹⁹⁰, |Σx³| below 2²⁵³, Σx⁴ below 2³¹⁶ in magnitude, and 128, 192, 256 and 320
  *            bits hold them with their signs. So neither order nor parts leave a trace
  * Cost       a block of numbers below 2¹³ takes a multiplication a power and row, one below 2³¹ products of 128 bits, others of 256;
  *            112 bytes
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

  /** Of up to [[Block.Rows]] numbers, all of them between `least` and `greatest`. */
  def add(numbers: Array[Long], from: Int, until: Int, least: Long, greatest: Long): Unit =
    if (-Small <= least && greatest <= Small) addSmall(numbers, from, until)
    else if (Int.MinValue <= least && greatest <= Int.MaxValue) addInts(numbers, from, until)
    else {
      var i = from
      while (i < until) { addLong(numbers(i)); i += 1 }
    }

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

  /** Squares are below 2⁶³, fourth powers below 2¹²⁵: of their upper halves the upper and the lower 32 bits add up apart. */
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

  /** (high·2³² + middle)·2⁶⁴ */
  private def addAbove(power: Int, middle: Long, high: Long): Unit = {
    Limbs.add(limbs, Start(power) + 1, power, 0L, middle)
    Limbs.add(limbs, Start(power) + 1, power, high >>> 32, high << 32)
  }

  private def add(power: Int, high: Long, low: Long): Unit =
    Limbs.add(limbs, Start(power), power + 1, high, low)

  private def addLong(x: Long): Unit = {
    val low = x * x
    val high = Math.multiplyHigh(x, x)
    add(1, x >> 63, x)
    add(2, high, low)
    addCube(x, high, low)
    addFourth(high, low)
  }

  /** Of the size of x, unsigned, and its square: three limbs, added or taken away. */
  private def addCube(x: Long, high: Long, low: Long): Unit = {
    val size = math.abs(x)
    val c0 = low * size
    val above = high * size
    val c1 = Limbs.high(low, size) + above
    val c2 = Limbs.high(high, size) + Limbs.carry(c1, above)
    val flip = x >> 63
    // the lowest limb with the 1 that negation adds, then the others by their sign
    val n0 = (c0 ^ flip) - flip
    val over = if (flip != 0L && c0 == 0L) 1L else 0L
    val n1 = (c1 ^ flip) + over
    val n2 = (c2 ^ flip) + (if (over != 0L && n1 == 0L) 1L else 0L)
    add(3, 0L, n0)
    Limbs.add(limbs, Start(3) + 1, 3, n2, n1)
  }

  private def addFourth(high: Long, low: Long): Unit = {
    val cross = low * high
    val crossHigh = Limbs.high(low, high) << 1 | cross >>> 63
    val twice = cross << 1
    val e0 = low * low
    val e1 = Limbs.high(low, low) + twice
    val square = high * high
    val part = square + crossHigh
    val e2 = part + Limbs.carry(e1, twice)
    val e3 = Math.multiplyHigh(high, high) + Limbs.carry(part, crossHigh) + Limbs.carry(e2, part)
    add(4, 0L, e0)
    Limbs.add(limbs, Start(4) + 1, 4, 0L, e1)
    Limbs.add(limbs, Start(4) + 2, 3, e3, e2)
  }

  /** So many of one number. */
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

  /** 256 fourth powers of such are below 2⁶¹. */
  private val Small = 1L << 13
  private val Lower = 0xffffffffL

  /** Where the limbs of each power begin; that of power p has p + 1. */
  private val Start = Array(0, 0, 2, 5, 9)
  private val Size = 14
}
