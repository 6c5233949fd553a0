package chronosketch.summary

import chronosketch.rank.RankProfile

/** Checks what a summary claims of the shares of its elements, and describes each claim that is false. */
object ShareClaims {
  def violations(summary: Summary, seen: => ExactBag): Seq[String] = summary match {
    case bounded: Bounded if !bounded.rankEstimates.isEmpty =>
      val (bounds, estimates) = (bounded.profile, bounded.rankEstimates)
      val all = if (bounded.confidence == 1.0) outside(bounds, seen) else Nil
      all ++ unlikely(bounds, estimates) ++ falling(estimates)
    case _ => Nil
  }

  /** The exact shares that are not within their bounds. */
  private def outside(bounds: RankProfile, seen: ExactBag): Seq[String] =
    if (seen.isEmpty) Nil
    else
      (-1 until bounds.size).flatMap { i =>
        val (low, high) = bounds.cdfBounds(i)
        // the least and the greatest share of the keys with this position
        val least = if (i < 0) 0L else seen.rank(bounds.key(i))
        val most =
          if (i + 1 == bounds.size) seen.count
          else if (bounds.key(i + 1) == Long.MinValue) least
          else seen.rank(bounds.key(i + 1) - 1)
        Seq(least, most).map(_.toDouble / seen.count.toDouble).collect {
          case share if !(low <= share && share <= high) => s"share $share at key $i, not in [$low, $high]"
        }
      }

  /** The estimates that are not within the bounds. */
  private def unlikely(bounds: RankProfile, estimates: RankProfile): Seq[String] = {
    val keys = Seq(bounds, estimates).flatMap(profile => (0 until profile.size).map(profile.key)).distinct
    keys.flatMap { key =>
      val (low, high) = bounds.cdfBounds(bounds.position(key))
      val (at, among) = (estimates.position(key), bounds.rankBounds(bounds.position(key)))
      val (share, rank) = (estimates.cdf(at), estimates.rank(at))
      val isWithin = low <= share && share <= high && among._1 <= rank && rank <= among._2
      Option.unless(isWithin)(s"estimated $share, rank $rank, at $key, not in [$low, $high], $among")
    }
  }

  private def falling(estimates: RankProfile): Seq[String] =
    (0 until estimates.size).filter(i => estimates.cdf(i) < estimates.cdf(i - 1))
      .map(i => s"the estimated share falls at key $i")
}
