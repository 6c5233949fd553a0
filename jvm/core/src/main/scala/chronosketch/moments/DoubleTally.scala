package chronosketch.moments

import chronosketch.codec.Wire
import chronosketch.domain.{Cast, Domain, DoubleKeys}
import chronosketch.sliding.moments.Statistic
import chronosketch.summary.{Moment, MomentBounds}

/** Power sums of doubles around their mean.
  *
  * Guarantee  for n finite elements that differ by at most D, in k blocks and parts, with u = 2⁻⁵³, no overflow, and e the error
  *            of the mean according to [[Mean]]: M(p), the sum of the p-th powers of the distances from the mean, is within
  *            c(p)·(k + 256)·u·n·D^p + 2p·n·e·D^(p−1), c = 16, 64, 256; M2 has, apart from e, a relative error of 16(k + 256)u.
  *            All are 0 if all elements are equal. A moment beyond the greatest double is +∞, M3 then NaN. If an element is NaN
  *            or infinite, the mean is the result of IEEE 754 addition in any order, and every moment is NaN
  * Cost       two passes over a block of rows in the cache, without a division per row
  * Merge      commutative to the bit; associative within the guarantee
  * Source     Pébay, Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical moments,
  *            2008, §3; Chan, Golub and LeVeque 1983, the corrected two-pass algorithm; departs: n·p·q with p and q the shares of
  *            the distance between the means, so that no power of a count is computed by itself
  */
private[moments] final class DoubleTally extends Tally {
  private val center = new Mean
  private var m2, m3, m4 = 0.0

  def newEmpty: DoubleTally = new DoubleTally

  def isCastExact(cast: Cast): Boolean = cast.keepsKeys

  def castBy(cast: Cast): Tally = this

  /** Sets the sums of values whose ends and count, mean (in two parts) and moments are known. */
  def set(
      ends: (Long, Long, Long),
      mean: (Double, Double),
      moments: (Double, Double, Double)
  ): Unit = {
    extend(ends._1, ends._2, ends._3)
    center.high = mean._1
    center.low = mean._2
    center.clamp(least, greatest)
    m2 = moments._1
    m3 = moments._2
    m4 = moments._3
    normalise()
  }

  private def isFinite: Boolean = Tally.isFinite(least, greatest)

  protected def addRows(
      keys: Array[Long],
      copies: Array[Long],
      from: Int,
      until: Int,
      low: Long,
      high: Long,
      n: Long
  ): Unit = {
    val block = new DoubleTally
    block.extend(low, high, n)
    if (block.isFinite && (total == 0 || isFinite)) {
      if (low == high) block.center.set(DoubleKeys.value(low))
      else block.setBlock(keys, copies, from, until, n)
    }
    unite(block)
  }

  private def setBlock(
      keys: Array[Long],
      copies: Array[Long],
      from: Int,
      until: Int,
      n: Long
  ): Unit = {
    val rows = until - from
    val values = new Array[Double](rows)
    var i = 0
    while (i < rows) { values(i) = DoubleKeys.value(keys(from + i)); i += 1 }
    center.setToBlock(values, copies, rows, n)
    center.clamp(least, greatest)
    val (middle, rest) = (center.high, center.low)
    var s1, s2, s3, s4 = 0.0
    i = 0
    if (copies == null)
      while (i < rows) {
        val d = values(i) - middle - rest
        val square = d * d
        s1 += d
        s2 += square
        s3 += square * d
        s4 += square * square
        i += 1
      }
    else
      while (i < rows) {
        val times = copies(i).toDouble
        val d = values(i) - middle - rest
        val square = d * d
        s1 += d * times
        s2 += square * times
        s3 += square * d * times
        s4 += square * square * times
        i += 1
      }
    // difference between the exact mean and the rounded one that the distances used
    val error = s1 / n.toDouble
    m4 = s4 - 4 * error * s3 + 6 * error * error * s2 - 3 * error * error * error * s1
    m3 = s3 - 3 * error * s2 + 2 * error * error * s1
    m2 = s2 - error * s1
    normalise()
  }

  def unite(that: Tally): Unit = that match {
    case other: DoubleTally => unite(other)
    case _ => throw new IllegalArgumentException("whole numbers into doubles")
  }

  private def unite(that: DoubleTally): Unit =
    if (that.total == 0) ()
    else if (total == 0) {
      center.set(that.center)
      m2 = that.m2
      m3 = that.m3
      m4 = that.m4
      extend(that.least, that.greatest, that.total)
    } else {
      val (mine, its) = (total, that.total)
      extend(that.least, that.greatest, that.total)
      if (!isFinite) clear()
      // the larger one comes first, so that merging is commutative
      else if (compare(mine, that) >= 0)
        combine(mine, m2, m3, m4, its, that.m2, that.m3, that.m4, that.center)
      else {
        val own = new Mean
        own.set(center)
        center.set(that.center)
        combine(its, that.m2, that.m3, that.m4, mine, m2, m3, m4, own)
      }
    }

  private def compare(mine: Long, that: DoubleTally): Int = {
    val counts = java.lang.Long.compare(mine, that.total)
    if (counts != 0) counts
    else parts.zip(that.parts).map((java.lang.Double.compare _).tupled).find(_ != 0).getOrElse(0)
  }

  private def parts: Iterator[Double] = Iterator(center.high, center.low, m2, m3, m4)

  private def combine(
      a: Long,
      a2: Double,
      a3: Double,
      a4: Double,
      b: Long,
      b2: Double,
      b3: Double,
      b4: Double,
      thatMean: Mean
  ): Unit = {
    center.unite(a, b, thatMean)
    center.clamp(least, greatest)
    val (p, q) = (center.p, center.q)
    val n = (a + b).toDouble
    val pq = p * q
    m4 = a4 + b4 + (n * (pq * (p * p - pq + q * q)) + 6 * (p * p * b2 + q * q * a2) + 4 * (p * b3 - q * a3))
    m3 = a3 + b3 + (n * (pq * (p - q)) + 3 * (p * b2 - q * a2))
    m2 = a2 + b2 + n * pq
    normalise()
  }

  private def clear(): Unit = {
    center.set(0.0)
    m2 = 0.0
    m3 = 0.0
    m4 = 0.0
  }

  /** Normalises the moments, so that overflow and zero have one encoding each. */
  private def normalise(): Unit =
    if (least == greatest) {
      m2 = 0.0
      m3 = 0.0
      m4 = 0.0
    } else {
      m2 = if (m2 <= Double.MaxValue) math.max(m2, 0.0) else Double.PositiveInfinity
      m4 = if (m4 <= Double.MaxValue) math.max(m4, 0.0) else Double.PositiveInfinity
      m3 = if (math.abs(m3) <= Double.MaxValue) m3 + 0.0 else Double.NaN
    }

  def sum(domain: Domain): Double =
    if (isFinite) center.times(count) else Tally.nonFiniteSum(least, greatest)

  def mean(domain: Domain): Double = if (isFinite) center.high else Tally.nonFiniteSum(least, greatest)

  def answer(statistic: Statistic, domain: Domain): StatisticAnswer =
    if (isFinite) StatisticAnswer.of(statistic, count, m2, m3, m4)
    else StatisticAnswer.of(statistic, count, Double.NaN, Double.NaN, Double.NaN)

  /** Derives bounds from the guarantee for any number of blocks: there are at most as many blocks as elements. All errors are
    * doubled to allow for rounding here.
    */
  def bounds(moment: Moment, answer: Double, domain: Domain): MomentBounds =
    if (moment == Moment.Count) MomentBounds.ofCount(count)
    else if (!isFinite) MomentBounds.exactly(answer)
    else if (least == greatest && moment != Moment.Sum) MomentBounds.exactly(answer)
    else {
      val n = count.toDouble
      val greatestMagnitude =
        math.max(math.abs(DoubleKeys.value(least)), math.abs(DoubleKeys.value(greatest)))
      val meanError = 2 * ((n + 65536) * Math.scalb(1.0, -102) * greatestMagnitude + Double.MinPositiveValue)
      val squaresError = 32 * (n + 256) * Math.scalb(1.0, -53)
      moment match {
        case Moment.Sum => DoubleTally.widen(answer, n * meanError, Double.NegativeInfinity)
        case Moment.Mean => DoubleTally.widen(answer, meanError, Double.NegativeInfinity)
        case _ =>
          val range = DoubleKeys.value(greatest) - DoubleKeys.value(least)
          // M2 / divisor has an absolute error from 4n·e·D, in addition to the relative one
          val divisor = if (moment == Moment.Variance || moment == Moment.Stddev) n - 1 else n
          val error = 4 * n * meanError * range / divisor
          val isRoot = moment == Moment.Stddev || moment == Moment.StddevPop
          val variance = m2 / divisor
          val all = DoubleTally.widen(variance, variance * squaresError + error, 0.0)
          if (!isRoot) all.copy(value = answer)
          else {
            val (low, high) = (math.sqrt(all.lower), math.sqrt(all.upper))
            MomentBounds(answer, math.max(0.0, Math.nextDown(low)), Math.nextUp(high))
          }
      }
    }

  protected def writeSums(w: Wire.Writer): Unit = if (isFinite) {
    w.double(center.high)
    w.double(center.low)
    w.double(m2)
    w.double(m3)
    w.double(m4)
  }

  protected def readSums(r: Wire.Reader): Unit = if (isFinite) {
    center.high = r.double()
    center.low = r.double()
    m2 = r.double()
    m3 = r.double()
    m4 = r.double()
    MomentBoundsCheck.requireMean(r, center, least, greatest)
    MomentBoundsCheck.requireMoments(
      r,
      total,
      DoubleKeys.value(greatest) - DoubleKeys.value(least),
      m2,
      m3,
      m4
    )
  }

  protected def setConstant(): Unit = if (isFinite) center.set(DoubleKeys.value(least))
}

private object DoubleTally {

  /** The value ± an error. An infinite value may come from an overflow, so its lower bound stays low. */
  private def widen(value: Double, error: Double, lowest: Double): MomentBounds =
    if (!java.lang.Double.isFinite(value) || error.isNaN)
      MomentBounds(value, if (value > 0) math.max(0.0, lowest) else lowest, Double.PositiveInfinity)
    else {
      val rounded = 4 * Math.ulp(value)
      MomentBounds(value, math.max(lowest, value - (error + rounded)), value + (error + rounded))
    }
}
