package chronosketch.moments

import java.math.{BigDecimal, BigInteger}

import chronosketch.codec.Wire
import chronosketch.domain.{Cast, Domain, Kind}
import chronosketch.sliding.moments.Statistic
import chronosketch.summary.{Moment, MomentBounds}

/** Power sums of whole numbers, or of decimals with one scale.
  *
  * Guarantee  power sums are exact, and every answer except a root is rounded once, to the nearest double; a root is rounded
  *            twice, so that it is within 1 ulp. The result does not depend on order or partitioning
  * Cost       that of [[PowerSums]]; for an answer some products of 500 bits
  * Source     N(p) = n^(p−1)·M(p) by the binomial theorem: N2 = n·S2 − S1², N3 = n²·S3 − 3n·S1·S2 + 2·S1³, N4 = n³·S4 − 4n²·S1·S3
  *            + 6n·S1²·S2 − 3·S1⁴, all whole numbers
  */
private[moments] final class WholeTally extends Tally {
  private val sums = new PowerSums

  def newEmpty: WholeTally = new WholeTally

  protected def addRows(
      keys: Array[Long],
      copies: Array[Long],
      from: Int,
      until: Int,
      low: Long,
      high: Long,
      n: Long
  ): Unit = {
    extend(low, high, n)
    if (copies == null) sums.add(keys, from, until, low, high)
    else sums.add(keys, copies, from, until, low, high)
  }

  def unite(that: Tally): Unit = that match {
    case other: WholeTally =>
      extend(other.least, other.greatest, other.total)
      sums.add(other.sums)
    case _ => throw new IllegalArgumentException("doubles into whole numbers")
  }

  def exactSum: BigInteger = sums.sum(1)

  def isCastExact(cast: Cast): Boolean =
    if (!cast.to.isFloating) cast.to.scale >= cast.from.scale
    else {
      // floating-point numbers have every whole number up to this one
      val most = 1L << (if (cast.to.kind == Kind.Double) 53 else 24)
      cast.from.scale == 0 && -most <= least && greatest <= most
    }

  def castBy(cast: Cast): Tally = if (cast.to.isFloating) doubles(cast) else scaled(cast)

  private def scaled(cast: Cast): WholeTally = {
    val other = new WholeTally
    other.extend(cast(least), cast(greatest), count)
    val factor = BigInteger.TEN.pow(cast.to.scale - cast.from.scale)
    (1 to PowerSums.Powers).foreach(power =>
      other.sums.set(power, sums.sum(power).multiply(factor.pow(power)))
    )
    other
  }

  /** The nearest doubles to the moments, which are within the errors that [[DoubleTally]] allows. */
  private def doubles(cast: Cast): DoubleTally = {
    val high = Ratio.toDouble(exactSum, n)
    // exact: high is a double, so it has finitely many digits
    val rest = new BigDecimal(exactSum).subtract(new BigDecimal(high).multiply(new BigDecimal(n)))
    val low = Ratio.toDouble(rest.unscaledValue, n.multiply(BigInteger.TEN.pow(rest.scale)))
    val tally = new DoubleTally
    tally.set(
      (cast(least), cast(greatest), count),
      (high, low),
      (Ratio.toDouble(n2, n), Ratio.toDouble(n3, n.pow(2)), Ratio.toDouble(n4, n.pow(3)))
    )
    tally
  }

  private def unit(domain: Domain, power: Int): BigInteger = BigInteger.TEN.pow(domain.second * power)
  private def n: BigInteger = BigInteger.valueOf(count)

  def sum(domain: Domain): Double = Ratio.toDouble(exactSum, unit(domain, 1))
  def mean(domain: Domain): Double = Ratio.toDouble(exactSum, n.multiply(unit(domain, 1)))

  def answer(statistic: Statistic, domain: Domain): StatisticAnswer = {
    val n2 = this.n2
    def share(divisor: BigInteger): Double = Ratio.toDouble(n2, divisor.multiply(unit(domain, 2)))
    def sample: BigInteger = n.multiply(n.subtract(BigInteger.ONE))
    statistic match {
      case Statistic.VarianceSamp | Statistic.StddevSamp if count == 1 => StatisticAnswer.undefined
      case Statistic.Skewness | Statistic.Kurtosis if n2.signum == 0 => StatisticAnswer.undefined
      case Statistic.VariancePop => StatisticAnswer.of(share(n.pow(2)))
      case Statistic.StddevPop => StatisticAnswer.of(math.sqrt(share(n.pow(2))))
      case Statistic.VarianceSamp => StatisticAnswer.of(share(sample))
      case Statistic.StddevSamp => StatisticAnswer.of(math.sqrt(share(sample)))
      case Statistic.Squares => StatisticAnswer.of(share(n))
      // √n·M3 / √M2³ = N3 / √N2³, and n·M4 / M2² − 3 = (N4 − 3·N2²) / N2²: counts and units cancel
      case Statistic.Skewness => StatisticAnswer.of(Ratio.root(n3.signum, n3.pow(2), n2.pow(3)))
      case Statistic.Kurtosis =>
        StatisticAnswer.of(Ratio.toDouble(n4.subtract(n2.pow(2).multiply(Three)), n2.pow(2)))
    }
  }

  def bounds(moment: Moment, answer: Double, domain: Domain): MomentBounds = {
    def mean(power: Int): BigInteger = n.multiply(unit(domain, power))
    moment match {
      case Moment.Count => MomentBounds.ofCount(count)
      case Moment.Sum => nearest(answer, exactSum, unit(domain, 1))
      case Moment.Mean => nearest(answer, exactSum, mean(1))
      case Moment.VariancePop => nearest(answer, n2, n.multiply(mean(2)))
      case Moment.Variance => nearest(answer, n2, n.subtract(BigInteger.ONE).multiply(mean(2)))
      case Moment.StddevPop => root(answer, n2, n.multiply(mean(2)))
      case Moment.Stddev => root(answer, n2, n.subtract(BigInteger.ONE).multiply(mean(2)))
    }
  }

  private def isRatio(value: BigDecimal, numerator: BigInteger, denominator: BigInteger): Boolean =
    value.multiply(new BigDecimal(denominator)).compareTo(new BigDecimal(numerator)) == 0

  /** Bounds of a ratio, given the nearest double. */
  private def nearest(value: Double, numerator: BigInteger, denominator: BigInteger): MomentBounds =
    if (isRatio(new BigDecimal(value), numerator, denominator)) MomentBounds.exactly(value)
    else MomentBounds(value, Math.nextDown(value), Math.nextUp(value))

  /** Bounds of the root of a ratio, given a double within 1 ulp of it. Just above a power of two, the root may be two doubles
    * below.
    */
  private def root(value: Double, numerator: BigInteger, denominator: BigInteger): MomentBounds =
    if (isRatio(new BigDecimal(value).pow(2), numerator, denominator)) MomentBounds.exactly(value)
    else MomentBounds(value, Math.nextDown(Math.nextDown(value)), Math.nextUp(value))

  private val Three = BigInteger.valueOf(3)

  private def n2: BigInteger = n.multiply(sums.sum(2)).subtract(sums.sum(1).pow(2))

  private def n3: BigInteger = {
    val (s1, s2) = (sums.sum(1), sums.sum(2))
    val first = n.multiply(n.multiply(sums.sum(3)).subtract(s1.multiply(s2).multiply(Three)))
    first.add(s1.pow(3).shiftLeft(1))
  }

  private def n4: BigInteger = {
    val (s1, s2, s3) = (sums.sum(1), sums.sum(2), sums.sum(3))
    val first = n.multiply(n.multiply(sums.sum(4)).subtract(s1.multiply(s3).shiftLeft(2)))
    val second = s1.pow(2).multiply(s2).multiply(BigInteger.valueOf(6))
    n.multiply(first.add(second)).subtract(s1.pow(4).multiply(Three))
  }

  protected def writeSums(w: Wire.Writer): Unit =
    (1 to PowerSums.Powers).foreach(power => WholeNumbers.write(w, sums.sum(power)))

  protected def readSums(r: Wire.Reader): Unit = {
    val read = Array.tabulate(PowerSums.Powers)(i => WholeNumbers.read(r, 8 * (i + 2)))
    WholeNumbers.requirePowers(r, total, least, greatest, read)
    read.indices.foreach(i => sums.set(i + 1, read(i)))
  }

  protected def setConstant(): Unit = sums.add(least, total)
}
