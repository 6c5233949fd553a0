package chronosketch.moments

import chronosketch.codec.Wire
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.sliding.moments.CrossStatistic

/** How do two columns of doubles go together?
  *
  * Guarantee  of n pairs whose x lie within Dx of each other and y within Dy, and which came in k blocks and parts, with u = 2⁻⁵³, no
  *            overflow, and ex and ey what [[Mean]] says the means are off: Mx is within 16(k + 256)u of itself and 4n·ex·Dx more, My alike,
  *            and C, the sum of the products of the distances from the means, within 16(k + 256)·u·n·Dx·Dy + 4n·(ex·Dy + ey·Dx).
  *            Each is 0 where all x, or all y, that it is of are equal, +∞ (C: NaN) beyond the greatest double, and NaN where one of them
  *            is NaN or infinite: its mean is then what adding up in IEEE 754 gives
  * Cost       two passes over a block of rows in a row's cache, without a division a row
  * Merge      commutative to the bit; associative within the guarantee
  * Source     Pébay 2008, §4; as [[DoubleTally]]
  */
private[moments] final class DoublePairs extends PairTally(new DoubleSide, new DoubleSide) {
  private val ofY = y.asInstanceOf[DoubleSide]
  private val ofX = x.asInstanceOf[DoubleSide]
  private var c = 0.0

  def fresh: DoublePairs = new DoublePairs

  def addBlock(ys: Array[Long], xs: Array[Long], copies: Array[Long], from: Int, until: Int): Unit = {
    val n = Block.count(copies, from, until)
    if (n > 0) {
      val block = new DoublePairs
      block.setBlock(ys, xs, copies, from, until, n)
      unite(block)
    }
  }

  private def setBlock(
      ys: Array[Long],
      xs: Array[Long],
      copies: Array[Long],
      from: Int,
      until: Int,
      n: Long
  ): Unit = {
    total = n
    val dy = ofY.setBlock(ys, copies, from, until, n)
    val dx = ofX.setBlock(xs, copies, from, until, n)
    if (dy != null && dx != null) {
      var sum = 0.0
      var i = 0
      if (copies == null) while (i < dy.length) { sum += dy(i) * dx(i); i += 1 }
      else while (i < dy.length) { sum += dy(i) * dx(i) * copies(from + i).toDouble; i += 1 }
      c = sum - ofY.off * ofX.off / n.toDouble
      tidy()
    }
  }

  def unite(that: PairTally): Unit = that match {
    case other: DoublePairs => unite(other)
    case _ => throw new IllegalArgumentException("whole numbers into doubles")
  }

  private def unite(that: DoublePairs): Unit =
    if (that.total == 0) ()
    else if (total == 0) {
      ofY.set(that.ofY)
      ofX.set(that.ofX)
      c = that.c
      total = that.total
    } else {
      val (mine, its) = (total, that.total)
      // the larger first, so that a with b is b with a
      val isFirst = compare(that) >= 0
      total += its
      ofY.unite(mine, its, that.ofY, isFirst)
      ofX.unite(mine, its, that.ofX, isFirst)
      if (ofY.isFinite && ofX.isFinite) {
        c = c + that.c + total.toDouble * (ofY.p * ofX.q)
        tidy()
      } else c = 0.0
    }

  private def compare(that: DoublePairs): Int = {
    def values(of: DoublePairs) =
      Iterator(of.ofY, of.ofX).flatMap(s => Iterator(s.center.high, s.center.low, s.m2)) ++ Iterator(of.c)
    val counts = java.lang.Long.compare(total, that.total)
    if (counts != 0) counts
    else
      values(this).zip(values(that)).map { case (a, b) => java.lang.Double.compare(a, b) }.find(
        _ != 0
      ).getOrElse(0)
  }

  /** One way to write what has overflowed, or is nothing. */
  private def tidy(): Unit =
    if (y.isConstant || x.isConstant) c = 0.0
    else c = if (math.abs(c) <= Double.MaxValue) c + 0.0 else Double.NaN

  def answer(statistic: CrossStatistic, yDomain: Domain, xDomain: Domain): Answer =
    Answer.of(
      statistic,
      count,
      mean(ofX),
      mean(ofY),
      squares(ofX),
      squares(ofY),
      if (ofY.isFinite && ofX.isFinite) c else Double.NaN
    )

  private def of(side: Side): DoubleSide = if (side eq y) ofY else ofX

  def sum(side: Side, domain: Domain): Double =
    if (of(side).isFinite) of(side).center.times(count) else Tally.special(side.least, side.greatest)
  def mean(side: Side, domain: Domain): Double = mean(of(side))
  def squares(side: Side, domain: Domain): Double = squares(of(side))

  private def mean(side: DoubleSide): Double =
    if (side.isFinite) side.center.high else Tally.special(side.least, side.greatest)
  private def squares(side: DoubleSide): Double = if (side.isFinite) side.m2 else Double.NaN

  protected def writeSums(w: Wire.Writer): Unit = {
    Seq(ofY, ofX).foreach(_.writeSums(w))
    if (ofY.varies && ofX.varies) w.double(c)
  }

  protected def readSums(r: Wire.Reader): Unit = {
    Seq(ofY, ofX).foreach(_.readSums(r, total))
    if (ofY.varies && ofX.varies) {
      c = r.double()
      Possible.requireProducts(r, total, ofY.range, ofX.range, c)
    }
  }
}

/** How does one side of pairs of doubles spread about its mean? */
private[moments] final class DoubleSide extends Side {
  val center = new Mean
  var m2 = 0.0

  /** The sum of a block's distances from the mean as it was rounded. */
  var off = 0.0

  // of the last union: see [[Mean.unite]]
  var p, q = 0.0

  def isFinite: Boolean = Tally.isFinite(least, greatest)

  /** Whether there is anything to tell beside the ends. */
  def varies: Boolean = isFinite && !isConstant

  def range: Double = DoubleKeys.value(greatest) - DoubleKeys.value(least)

  def set(that: DoubleSide): Unit = {
    extend(that.least, that.greatest)
    center.set(that.center)
    m2 = that.m2
  }

  /** The distances from the mean; null where not all keys are of finite values. */
  def setBlock(keys: Array[Long], copies: Array[Long], from: Int, until: Int, n: Long): Array[Double] = {
    extend(Block.least(keys, from, until), Block.greatest(keys, from, until))
    if (!isFinite) null
    else {
      val values = new Array[Double](until - from)
      var i = 0
      while (i < values.length) { values(i) = DoubleKeys.value(keys(from + i)); i += 1 }
      if (isConstant) center.set(values(0)) else center.ofBlock(values, copies, values.length, n)
      center.clamp(least, greatest)
      val (middle, rest) = (center.high, center.low)
      var s1, s2 = 0.0
      i = 0
      while (i < values.length) {
        val times = if (copies == null) 1.0 else copies(from + i).toDouble
        val d = values(i) - middle - rest
        values(i) = d
        s1 += d * times
        s2 += d * d * times
        i += 1
      }
      off = s1
      m2 = s2 - s1 / n.toDouble * s1
      tidy()
      values
    }
  }

  /** With another's b elements: of the two that are united, this one is the first or the second. */
  def unite(a: Long, b: Long, that: DoubleSide, isFirst: Boolean): Unit = {
    extend(that.least, that.greatest)
    if (!isFinite) {
      center.set(0.0)
      m2 = 0.0
    } else {
      if (isFirst) center.unite(a, b, that.center)
      else {
        val own = new Mean
        own.set(center)
        center.set(that.center)
        center.unite(b, a, own)
      }
      p = center.p
      q = center.q
      center.clamp(least, greatest)
      m2 = m2 + that.m2 + (a + b).toDouble * (p * q)
      tidy()
    }
  }

  private def tidy(): Unit =
    m2 =
      if (isConstant) 0.0 else if (m2 <= Double.MaxValue) math.max(m2, 0.0) else Double.PositiveInfinity

  def writeSums(w: Wire.Writer): Unit = if (varies) {
    w.double(center.high)
    w.double(center.low)
    w.double(m2)
  }

  def readSums(r: Wire.Reader, n: Long): Unit =
    if (varies) {
      center.high = r.double()
      center.low = r.double()
      m2 = r.double()
      Possible.requireMean(r, center, least, greatest)
      Possible.requireSquares(r, n, range, m2)
    } else if (isFinite) center.set(DoubleKeys.value(least))
}
