package chronosketch.bucketing

import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.{Certificate, ExactBag}

/** What a window's profile claims, held against the rows it has: every claim that does not hold, in words. */
object WindowCertificate {
  def violations(profile: RankProfile, seen: ExactBag): Seq[String] = {
    val found = Seq.newBuilder[String]
    def expect(holds: Boolean, what: => String): Unit = if (!holds) found += what
    expect(
      profile.countLow <= seen.count && seen.count <= profile.countHigh,
      s"count from ${profile.countLow} to ${profile.countHigh}, where ${seen.count} are"
    )
    if (!profile.isEmpty) {
      val last = profile.size - 1
      (0 to last).foreach { i =>
        val (low, high) = profile.rankBounds(i)
        val rank = seen.rank(profile.key(i))
        expect(low <= rank, s"A⁻ $low at key $i, where $rank are")
        val before = if (i == last) seen.count else seen.rank(profile.key(i + 1) - 1)
        expect(before <= high, s"A⁺ $high at key $i, where $before are")
      }
    }
    if (!profile.isEmpty && !seen.isEmpty) {
      expect(profile.minimum <= seen.keys.head, s"minimum ${profile.minimum}")
      expect(profile.maximum >= seen.keys.last, s"maximum ${profile.maximum}")
      Certificate.phis.foreach { phi =>
        val rank = phi.rank(seen.count)
        val exact = seen.at(rank)
        val (low, high) = profile.quantileBounds(phi)
        expect(low <= exact && exact <= high, s"$phi: $exact is not in [$low, $high]")
        val off = error(seen, profile.quantile(phi), rank)
        expect(
          off <= profile.certifiedError,
          s"$phi: $off ranks off, certified ${profile.certifiedError}"
        )
      }
    }
    found.result()
  }

  /** How far the rank of the key, which need not be one of the window's, is from the one sought. */
  def error(seen: ExactBag, key: Long, rank: Long): Long =
    // nothing is below the least Long
    math.max(
      0L,
      math.max(rank - seen.rank(key), (if (key == Long.MinValue) 0L else seen.rank(key - 1)) + 1 - rank)
    )

  def worst(profile: RankProfile, seen: ExactBag, phis: Seq[Phi]): Double =
    phis.map(phi => error(seen, profile.quantile(phi), phi.rank(seen.count))).max.toDouble / seen.count
}
