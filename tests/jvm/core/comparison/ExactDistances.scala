package chronosketch.comparison

import java.math.BigDecimal

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.summary.ExactBag

/** The exact distances of two bags of keys that are not empty. */
private[comparison] object ExactDistances {
  private def points(a: ExactBag, b: ExactBag): Array[Long] = (a.keys ++ b.keys).distinct.sorted

  private def gap(a: ExactBag, b: ExactBag)(key: Long): Double =
    Fraction(a.rank(key), a.count).minus(Fraction(b.rank(key), b.count)).abs

  /** The distance of Kolmogorov and Smirnov, and the least key where it is; None if it is 0. */
  def kolmogorovSmirnov(a: ExactBag, b: ExactBag): (Double, Option[Long]) = {
    val gaps = points(a, b).map(key => key -> gap(a, b)(key))
    val greatest = gaps.map(_._2).max
    (greatest, gaps.collectFirst { case (key, found) if found == greatest && found > 0 => key })
  }

  /** The population stability index over bins that end at these keys. */
  def stabilityIndex(a: ExactBag, b: ExactBag, edges: Array[Long]): Double = {
    def counts(bag: ExactBag): Seq[Long] = {
      val ranks = edges.map(bag.rank).toSeq :+ bag.count
      ranks.zip(0L +: ranks).map { case (until, before) => until - before }
    }
    counts(a).zip(counts(b)).map { case (c, d) =>
      val (p, q) = (math.max(c.toDouble, 0.5) / a.count, math.max(d.toDouble, 0.5) / b.count)
      if (c == 0 && d == 0) 0.0 else (p - q) * math.log(p / q)
    }.sum
  }

  /** The Wasserstein distance as a numerator and a denominator; None if it is infinite. */
  def wasserstein(a: ExactBag, b: ExactBag, domain: Domain): Option[(BigDecimal, BigDecimal)] = {
    val all = points(a, b)
    val whole = BigDecimal.valueOf(a.count).multiply(BigDecimal.valueOf(b.count))
    var sum = Option(BigDecimal.ZERO)
    var i = 0
    while (i + 1 < all.length) {
      val gap = math.abs(a.rank(all(i)) * b.count - b.rank(all(i)) * a.count)
      if (gap != 0) sum = for {
        before <- sum
        start <- number(all(i), domain)
        end <- number(all(i + 1), domain)
      } yield before.add(end.subtract(start).multiply(BigDecimal.valueOf(gap)))
      i += 1
    }
    sum.map(_ -> whole)
  }

  private def number(key: Long, domain: Domain): Option[BigDecimal] =
    if (!domain.isFloating) Some(BigDecimal.valueOf(key, domain.scale))
    else Some(DoubleKeys.value(key)).filterNot(_.isInfinite).map(new BigDecimal(_))
}
