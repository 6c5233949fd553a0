package chronosketch.moments

import java.math.BigInteger

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.sliding.moments.CrossStatistic

/** Sums for covariance, correlation and regression of two columns of whole numbers or decimals.
  *
  * Guarantee  the sums of both columns, of their squares and of their products are exact: 2⁶³ longs have sums below 2¹²⁶ and sums
  *            of products below 2¹⁹⁰. Every answer is rounded once, to the nearest double; a correlation twice, so that it is
  *            within 1 ulp. The result does not depend on order or partitioning
  * Cost       a block of numbers below 2²⁷ takes three multiplications per row, others products of 128 bits; 104 bytes
  * Source     n²·covar_pop = n·Sxy − Sx·Sy, and so on: quotients of whole numbers
  */
private[moments] final class WholePairs extends PairTally(new Side, new Side) {
  import WholePairs._

  private val limbs = new Array[Long](Size)

  def newEmpty: WholePairs = new WholePairs

  private def add(at: Int, high: Long, low: Long): Unit = Limbs.add(limbs, at, limbsAt(at), high, low)

  private def product(at: Int, a: Long, b: Long): Unit = add(at, Math.multiplyHigh(a, b), a * b)

  def addBlock(ys: Array[Long], xs: Array[Long], copies: Array[Long], from: Int, until: Int): Unit =
    if (from < until) {
      y.extend(Block.least(ys, from, until), Block.greatest(ys, from, until))
      x.extend(Block.least(xs, from, until), Block.greatest(xs, from, until))
      total += Block.count(copies, from, until)
      var i = from
      if (copies != null)
        while (i < until) { addMany(ys(i), xs(i), copies(i)); i += 1 }
      else if (isSmall(y) && isSmall(x)) addSmall(ys, xs, from, until)
      else
        while (i < until) {
          add(Y, ys(i) >> 63, ys(i))
          add(X, xs(i) >> 63, xs(i))
          product(YY, ys(i), ys(i))
          product(XX, xs(i), xs(i))
          product(XY, xs(i), ys(i))
          i += 1
        }
    }

  private def isSmall(side: Side): Boolean = -Small <= side.least && side.greatest <= Small

  private def addSmall(ys: Array[Long], xs: Array[Long], from: Int, until: Int): Unit = {
    var sy, sx, syy, sxx, sxy = 0L
    var i = from
    while (i < until) {
      sy += ys(i)
      sx += xs(i)
      syy += ys(i) * ys(i)
      sxx += xs(i) * xs(i)
      sxy += xs(i) * ys(i)
      i += 1
    }
    add(Y, sy >> 63, sy)
    add(X, sx >> 63, sx)
    add(YY, 0L, syy)
    add(XX, 0L, sxx)
    add(XY, sxy >> 63, sxy)
  }

  private def addMany(yValue: Long, xValue: Long, copies: Long): Unit = {
    product(Y, yValue, copies)
    product(X, xValue, copies)
    productOfThree(YY, yValue, yValue, copies)
    productOfThree(XX, xValue, xValue, copies)
    productOfThree(XY, xValue, yValue, copies)
  }

  private def productOfThree(at: Int, a: Long, b: Long, copies: Long): Unit = {
    val three = Array(copies, 0L, 0L)
    Limbs.multiply(three, math.abs(a))
    Limbs.multiply(three, math.abs(b))
    Limbs.add(limbs, at, 3, three, 0, (a < 0) != (b < 0))
  }

  def unite(that: PairTally): Unit = that match {
    case other: WholePairs =>
      y.extend(other.y.least, other.y.greatest)
      x.extend(other.x.least, other.x.greatest)
      total += other.count
      All.foreach(at => Limbs.add(limbs, at, limbsAt(at), other.limbs, at, isNegative = false))
    case _ => throw new IllegalArgumentException("doubles into whole numbers")
  }

  private def sumAt(at: Int): BigInteger = Limbs.toBig(limbs, at, limbsAt(at))
  private def n: BigInteger = BigInteger.valueOf(count)

  /** n² times a mean product of distances from the means. */
  private def spread(products: Int, a: Int, b: Int): BigInteger =
    n.multiply(sumAt(products)).subtract(sumAt(a).multiply(sumAt(b)))
  private def nyy: BigInteger = spread(YY, Y, Y)
  private def nxx: BigInteger = spread(XX, X, X)
  private def nxy: BigInteger = spread(XY, X, Y)

  private def unit(domain: Domain): BigInteger = BigInteger.TEN.pow(domain.second)

  def answer(statistic: CrossStatistic, yDomain: Domain, xDomain: Domain): StatisticAnswer = {
    val (c, mx, my) = (nxy, nxx, nyy)
    val (one, units) = (BigInteger.ONE, unit(yDomain).multiply(unit(xDomain)))
    def share(divisor: BigInteger): StatisticAnswer =
      StatisticAnswer.of(Ratio.toDouble(c, divisor.multiply(units)))
    statistic match {
      case CrossStatistic.CovarSamp | CrossStatistic.Corr if count == 1 => StatisticAnswer.undefined
      case CrossStatistic.Corr if mx.signum == 0 || my.signum == 0 => StatisticAnswer.dividedByZero
      case CrossStatistic.RegrSlope | CrossStatistic.RegrIntercept | CrossStatistic.RegrR2
          if mx.signum == 0 =>
        StatisticAnswer.none
      case CrossStatistic.CovarPop => share(n.pow(2))
      case CrossStatistic.CovarSamp => share(n.multiply(n.subtract(one)))
      case CrossStatistic.RegrSxy => share(n)
      case CrossStatistic.Corr => StatisticAnswer.of(Ratio.root(c.signum, c.pow(2), mx.multiply(my)))
      case CrossStatistic.RegrSlope =>
        StatisticAnswer.of(Ratio.toDouble(c.multiply(unit(xDomain)), mx.multiply(unit(yDomain))))
      case CrossStatistic.RegrIntercept =>
        val above = sumAt(Y).multiply(mx).subtract(c.multiply(sumAt(X)))
        StatisticAnswer.of(Ratio.toDouble(above, n.multiply(mx).multiply(unit(yDomain))))
      case CrossStatistic.RegrR2 if my.signum == 0 => StatisticAnswer.of(1.0)
      case CrossStatistic.RegrR2 => StatisticAnswer.of(Ratio.toDouble(c.pow(2), mx.multiply(my)))
    }
  }

  private def sumOf(side: Side): BigInteger = sumAt(if (side eq y) Y else X)

  def sum(side: Side, domain: Domain): Double = Ratio.toDouble(sumOf(side), unit(domain))
  def mean(side: Side, domain: Domain): Double = Ratio.toDouble(sumOf(side), n.multiply(unit(domain)))
  def squares(side: Side, domain: Domain): Double =
    Ratio.toDouble(if (side eq y) nyy else nxx, n.multiply(unit(domain).pow(2)))

  protected def writeSums(w: Wire.Writer): Unit = {
    if (!y.isConstant) Seq(Y, YY).foreach(at => WholeNumbers.write(w, sumAt(at)))
    if (!x.isConstant) Seq(X, XX).foreach(at => WholeNumbers.write(w, sumAt(at)))
    if (!y.isConstant && !x.isConstant) WholeNumbers.write(w, sumAt(XY))
  }

  protected def readSums(r: Wire.Reader): Unit = {
    val (sy, syy) = readSide(r, y)
    val (sx, sxx) = readSide(r, x)
    val sxy =
      if (y.isConstant) sx.multiply(BigInteger.valueOf(y.least))
      else if (x.isConstant) sy.multiply(BigInteger.valueOf(x.least))
      else WholeNumbers.read(r, 8 * 3)
    Seq(Y -> sy, X -> sx, YY -> syy, XX -> sxx, XY -> sxy).foreach { case (at, sum) =>
      Limbs.set(limbs, at, limbsAt(at), sum)
    }
    if (!WholeNumbers.isAtMost(nxy.pow(2), nxx.multiply(nyy)))
      throw r.corrupt("no such pairs have its sum of products")
  }

  private def readSide(r: Wire.Reader, side: Side): (BigInteger, BigInteger) =
    if (side.isConstant) {
      val value = BigInteger.valueOf(side.least)
      (n.multiply(value), n.multiply(value.pow(2)))
    } else {
      val (sum, squares) = (WholeNumbers.read(r, 8 * 2), WholeNumbers.read(r, 8 * 3))
      WholeNumbers.requireTwoPowers(r, count, side.least, side.greatest, sum, squares)
      (sum, squares)
    }
}

private[moments] object WholePairs {

  /** 256 products of numbers up to this are below 2⁶³. */
  private val Small = 1L << 27

  // first limb of each sum
  private val Y = 0
  private val X = 2
  private val YY = 4
  private val XX = 7
  private val XY = 10
  private val All = Seq(Y, X, YY, XX, XY)
  private val Size = 13

  private def limbsAt(at: Int): Int = if (at < YY) 2 else 3
}
