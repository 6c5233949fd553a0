package chronosketch.rank

import java.math.{BigDecimal, RoundingMode}

import chronosketch.summary.TupleChecks.Tuple

/** The rank profile computed directly from its definition, over the tuples of several bags (docs/algorithms.md, The certificate). */
final case class NaiveProfile(bags: Seq[NaiveProfile.Bag]) {
  val keys: IndexedSeq[Long] = bags.flatMap(_.tuples.map(_.key)).distinct.sorted.toIndexedSeq

  def atMostLow(x: Long): Long = bags.map(_.atMostLow(x)).sum
  def atMostHigh(x: Long): Long = bags.map(_.atMostHigh(x)).sum
  def aboveLow(x: Long): Long = bags.map(_.aboveLow(x)).sum
  def aboveHigh(x: Long): Long = bags.map(_.aboveHigh(x)).sum

  private def reached(phi: Phi, atMost: Long, above: Long): Boolean = atMost >= 1 && {
    val n = atMost + above
    val ceiling = phi.decimal.multiply(BigDecimal.valueOf(n)).setScale(0, RoundingMode.CEILING)
    val rank = math.max(1L, ceiling.longValueExact)
    (if (phi.isFromGreatest) n - rank + 1 else rank) <= atMost
  }

  def quantileBounds(phi: Phi): (Long, Long) = {
    val low = keys.find(x => reached(phi, atMostHigh(x), aboveLow(x)))
    val high = keys.find(x => reached(phi, atMostLow(x), aboveHigh(x)))
    (low.getOrElse(keys.last), high.getOrElse(keys.last))
  }

  /** The largest possible rank error of v. The rank of the quantile exceeds that of v the most if #{≤ v} is least and #{> v} is
    * greatest, and the other way round.
    */
  def errorOf(phi: Phi, v: Long): Long = {
    val short = phi.rank(atMostLow(v) + aboveHigh(v)) - atMostLow(v)
    val past = atMostHigh(v - 1) + 1 - phi.rank(atMostHigh(v - 1) + aboveLow(v - 1))
    math.max(0L, math.max(short, past))
  }

  def leastError(phi: Phi): Long = keys.map(errorOf(phi, _)).min

  /** The largest error of the best answer over all ranks. The count must be certain. */
  def certifiedError: Long = {
    val n = atMostLow(keys.last)
    (1L to n).map { r =>
      keys.map(v => math.max(0L, math.max(r - atMostLow(v), atMostHigh(v - 1) + 1 - r))).min
    }.max
  }
}

object NaiveProfile {

  /** A bag; if it `straddles` a window's edge, any part of it may be in the window. */
  final case class Bag(tuples: Seq[Tuple], straddles: Boolean) {
    private val n = tuples.map(_.g).sum
    private val ranked: Seq[(Tuple, Long)] = tuples.zip(tuples.scanLeft(0L)(_ + _.g).tail)

    private def low(x: Long): Long = ranked.filter(_._1.key <= x).lastOption.fold(0L)(_._2)
    def atMostHigh(x: Long): Long = ranked.find(_._1.key > x).fold(n) { case (t, rank) => rank + t.delta - 1 }
    def atMostLow(x: Long): Long = if (straddles) 0L else low(x)
    def aboveLow(x: Long): Long = if (straddles) 0L else n - atMostHigh(x)
    def aboveHigh(x: Long): Long = n - low(x)
  }
}
