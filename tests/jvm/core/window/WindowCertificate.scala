package chronosketch.window

import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.{Certificate, ExactBag}

/** Checks the claims of a window's profile against its rows, and describes each that is false. */
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

  /** The distance from the ranks of a key, which need not be in the window, to the target rank. */
  def error(seen: ExactBag, key: Long, rank: Long): Long =
    // no key is below Long.MinValue
    math.max(
      0L,
      math.max(rank - seen.rank(key), (if (key == Long.MinValue) 0L else seen.rank(key - 1)) + 1 - rank)
    )

  def worst(profile: RankProfile, seen: ExactBag, phis: Seq[Phi]): Double =
    phis.map(phi => error(seen, profile.quantile(phi), phi.rank(seen.count))).max.toDouble / seen.count
}
