package chronosketch.moments

import chronosketch.codec.Wire
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.sliding.moments.Statistic
import chronosketch.summary.{Moment, MomentBounds}

/** How do doubles spread about their mean?
  *
  * Guarantee  of n finite elements that lie within D of each other and came in k blocks and parts, with u = 2⁻⁵³, no overflow, and e what
  *            [[Mean]] says the mean is off: M(p), the sum of the p-th powers of their distances from it, is within
  *            c(p)·(k + 256)·u·n·D^p + 2p·n·e·D^(p−1), c = 16, 64, 256, and M2, but for e, within 16(k + 256)u of itself. 0 where all are
  *            equal. A moment beyond the greatest double is +∞, M3 then NaN. Where an element is NaN or infinite, the mean is what adding
  *            them up in IEEE 754 gives, whatever the order, and every moment is NaN
  * Cost       two passes over a block of rows in a row's cache, without a division a row
  * Merge      commutative to the bit; associative within the guarantee
  * Source     Pébay, Formulas for robust, one-pass parallel computation of covariances and arbitrary-order statistical moments, 2008, §3;
  *            Chan, Golub and LeVeque 1983, the corrected two-pass algorithm; departs: n·p·q with p and q the shares of the distance
  *            between the means, so that no power of a count stands alone
  */
private[moments] final class DoubleTally extends Tally {
  private val center = new Mean
  private var m2, m3, m4 = 0.0

  def fresh: DoubleTally = new DoubleTally

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
    center.ofBlock(values, copies, rows, n)
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
    // what the mean that was taken is off the mean
    val off = s1 / n.toDouble
    m4 = s4 - 4 * off * s3 + 6 * off * off * s2 - 3 * off * off * off * s1
    m3 = s3 - 3 * off * s2 + 2 * off * off * s1
    m2 = s2 - off * s1
    tidy()
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
      // the larger first, so that a with b is b with a
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
      itsMean: Mean
  ): Unit = {
    center.unite(a, b, itsMean)
    center.clamp(least, greatest)
    val (p, q) = (center.p, center.q)
    val n = (a + b).toDouble
    val pq = p * q
    m4 = a4 + b4 + (n * (pq * (p * p - pq + q * q)) + 6 * (p * p * b2 + q * q * a2) + 4 * (p * b3 - q * a3))
    m3 = a3 + b3 + (n * (pq * (p - q)) + 3 * (p * b2 - q * a2))
    m2 = a2 + b2 + n * pq
    tidy()
  }

  private def clear(): Unit = {
    center.set(0.0)
    m2 = 0.0
    m3 = 0.0
    m4 = 0.0
  }

  /** One way to write what has overflowed, or is nothing. */
  private def tidy(): Unit =
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
    if (isFinite) center.times(count) else Tally.special(least, greatest)

  def mean(domain: Domain): Double = if (isFinite) center.high else Tally.special(least, greatest)

  def answer(statistic: Statistic, domain: Domain): Answer =
    if (isFinite) Answer.of(statistic, count, m2, m3, m4)
    else Answer.of(statistic, count, Double.NaN, Double.NaN, Double.NaN)

  /** From what is guaranteed of any number of blocks: there are no more than elements. Everything is taken twice, for rounding here. */
  def bounds(moment: Moment, answer: Double, domain: Domain): MomentBounds =
    if (moment == Moment.Count) MomentBounds.ofCount(count)
    else if (!isFinite) MomentBounds.exactly(answer)
    else if (least == greatest && moment != Moment.Sum) MomentBounds.exactly(answer)
    else {
      val n = count.toDouble
      val most = math.max(math.abs(DoubleKeys.value(least)), math.abs(DoubleKeys.value(greatest)))
      val ofMean = 2 * ((n + 65536) * Math.scalb(1.0, -102) * most + Double.MinPositiveValue)
      val ofSquares = 32 * (n + 256) * Math.scalb(1.0, -53)
      moment match {
        case Moment.Sum => DoubleTally.around(answer, n * ofMean, Double.NegativeInfinity)
        case Moment.Mean => DoubleTally.around(answer, ofMean, Double.NegativeInfinity)
        case _ =>
          val apart = DoubleKeys.value(greatest) - DoubleKeys.value(least)
          // M2 / divisor, off by 4n·e·D beside what is a share of it
          val divisor = if (moment == Moment.Variance || moment == Moment.Stddev) n - 1 else n
          val off = 4 * n * ofMean * apart / divisor
          val isRoot = moment == Moment.Stddev || moment == Moment.StddevPop
          val variance = m2 / divisor
          val all = DoubleTally.around(variance, variance * ofSquares + off, 0.0)
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
    Possible.requireMean(r, center, least, greatest)
    Possible.requireMoments(r, total, DoubleKeys.value(greatest) - DoubleKeys.value(least), m2, m3, m4)
  }

  protected def setEqual(): Unit = if (isFinite) center.set(DoubleKeys.value(least))
}

private object DoubleTally {

  /** What overflowed may have been less than it seems. */
  private def around(value: Double, off: Double, lowest: Double): MomentBounds =
    if (!java.lang.Double.isFinite(value) || off.isNaN)
      MomentBounds(value, if (value > 0) math.max(0.0, lowest) else lowest, Double.PositiveInfinity)
    else {
      val rounded = 4 * Math.ulp(value)
      MomentBounds(value, math.max(lowest, value - (off + rounded)), value + (off + rounded))
    }
}
