package chronosketch.moments

import chronosketch.codec.Wire
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.sliding.moments.CrossStatistic

/** Sums for covariance, correlation and regression of two columns of doubles.
  *
  * Guarantee  for n pairs whose x differ by at most Dx and whose y by at most Dy, in k blocks and parts, with u = 2⁻⁵³, no
  *            overflow, and ex and ey the errors of the means according to [[Mean]]: Mx has a relative error of 16(k + 256)u plus
  *            an error of 4n·ex·Dx, My likewise, and C, the sum of the products of the distances from the means, is within
  *            16(k + 256)·u·n·Dx·Dy + 4n·(ex·Dy + ey·Dx). Each is 0 if all x or all y that it uses are equal, +∞ (C: NaN) beyond the
  *            greatest double, and NaN if one of them is NaN or infinite; the mean is then the result of IEEE 754 addition
  * Cost       two passes over a block of rows in the cache, without a division per row
  * Merge      commutative to the bit; associative within the guarantee
  * Source     Pébay 2008, §4; as [[DoubleTally]]
  */
private[moments] final class DoublePairs extends PairTally(new DoubleSide, new DoubleSide) {
  private val ySide = y.asInstanceOf[DoubleSide]
  private val xSide = x.asInstanceOf[DoubleSide]
  private var c = 0.0

  def newEmpty: DoublePairs = new DoublePairs

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
    val dy = ySide.setBlock(ys, copies, from, until, n)
    val dx = xSide.setBlock(xs, copies, from, until, n)
    if (dy != null && dx != null) {
      var sum = 0.0
      var i = 0
      if (copies == null) while (i < dy.length) { sum += dy(i) * dx(i); i += 1 }
      else while (i < dy.length) { sum += dy(i) * dx(i) * copies(from + i).toDouble; i += 1 }
      c = sum - ySide.residual * xSide.residual / n.toDouble
      normalise()
    }
  }

  def unite(that: PairTally): Unit = that match {
    case other: DoublePairs => unite(other)
    case _ => throw new IllegalArgumentException("whole numbers into doubles")
  }

  private def unite(that: DoublePairs): Unit =
    if (that.total == 0) ()
    else if (total == 0) {
      ySide.set(that.ySide)
      xSide.set(that.xSide)
      c = that.c
      total = that.total
    } else {
      val (mine, its) = (total, that.total)
      // the larger one comes first, so that merging is commutative
      val isFirst = compare(that) >= 0
      total += its
      ySide.unite(mine, its, that.ySide, isFirst)
      xSide.unite(mine, its, that.xSide, isFirst)
      if (ySide.isFinite && xSide.isFinite) {
        c = c + that.c + total.toDouble * (ySide.p * xSide.q)
        normalise()
      } else c = 0.0
    }

  private def compare(that: DoublePairs): Int = {
    def values(pairs: DoublePairs) =
      Iterator(pairs.ySide, pairs.xSide).flatMap(s =>
        Iterator(s.center.high, s.center.low, s.m2)
      ) ++ Iterator(pairs.c)
    val counts = java.lang.Long.compare(total, that.total)
    if (counts != 0) counts
    else
      values(this).zip(values(that)).map { case (a, b) => java.lang.Double.compare(a, b) }.find(
        _ != 0
      ).getOrElse(0)
  }

  /** Normalises C, so that overflow and zero have one encoding each. */
  private def normalise(): Unit =
    if (y.isConstant || x.isConstant) c = 0.0
    else c = if (math.abs(c) <= Double.MaxValue) c + 0.0 else Double.NaN

  def answer(statistic: CrossStatistic, yDomain: Domain, xDomain: Domain): StatisticAnswer =
    StatisticAnswer.of(
      statistic,
      count,
      mean(xSide),
      mean(ySide),
      squares(xSide),
      squares(ySide),
      if (ySide.isFinite && xSide.isFinite) c else Double.NaN
    )

  private def sideOf(side: Side): DoubleSide = if (side eq y) ySide else xSide

  def sum(side: Side, domain: Domain): Double =
    if (sideOf(side).isFinite) sideOf(side).center.times(count)
    else Tally.nonFiniteSum(side.least, side.greatest)
  def mean(side: Side, domain: Domain): Double = mean(sideOf(side))
  def squares(side: Side, domain: Domain): Double = squares(sideOf(side))

  private def mean(side: DoubleSide): Double =
    if (side.isFinite) side.center.high else Tally.nonFiniteSum(side.least, side.greatest)
  private def squares(side: DoubleSide): Double = if (side.isFinite) side.m2 else Double.NaN

  protected def writeSums(w: Wire.Writer): Unit = {
    Seq(ySide, xSide).foreach(_.writeSums(w))
    if (ySide.varies && xSide.varies) w.double(c)
  }

  protected def readSums(r: Wire.Reader): Unit = {
    Seq(ySide, xSide).foreach(_.readSums(r, total))
    if (ySide.varies && xSide.varies) {
      c = r.double()
      MomentBoundsCheck.requireProducts(r, total, ySide.range, xSide.range, c)
    }
  }
}

/** Mean and M2 of one side of pairs of doubles. */
private[moments] final class DoubleSide extends Side {
  val center = new Mean
  var m2 = 0.0

  /** Sum of the block's distances from its rounded mean. */
  var residual = 0.0

  // set by the last merge: see [[Mean.unite]]
  var p, q = 0.0

  def isFinite: Boolean = Tally.isFinite(least, greatest)

  /** Whether mean and M2 are stored: the ends do not determine them. */
  def varies: Boolean = isFinite && !isConstant

  def range: Double = DoubleKeys.value(greatest) - DoubleKeys.value(least)

  def set(that: DoubleSide): Unit = {
    extend(that.least, that.greatest)
    center.set(that.center)
    m2 = that.m2
  }

  /** Sets the sums of a block, and returns the distances from its mean. Returns null if a key is NaN or infinite. */
  def setBlock(keys: Array[Long], copies: Array[Long], from: Int, until: Int, n: Long): Array[Double] = {
    extend(Block.least(keys, from, until), Block.greatest(keys, from, until))
    if (!isFinite) null
    else {
      val values = new Array[Double](until - from)
      var i = 0
      while (i < values.length) { values(i) = DoubleKeys.value(keys(from + i)); i += 1 }
      if (isConstant) center.set(values(0)) else center.setToBlock(values, copies, values.length, n)
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
      residual = s1
      m2 = s2 - s1 / n.toDouble * s1
      normalise()
      values
    }
  }

  /** Merges a side of b elements into this one of a elements. `isFirst` says which of the two comes first. */
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
      normalise()
    }
  }

  private def normalise(): Unit =
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
      MomentBoundsCheck.requireMean(r, center, least, greatest)
      MomentBoundsCheck.requireSquares(r, n, range, m2)
    } else if (isFinite) center.set(DoubleKeys.value(least))
}
