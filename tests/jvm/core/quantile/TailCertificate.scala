package chronosketch.quantile

import chronosketch.rank.{Phi, RankProfile, Tail}
import chronosketch.summary.{Certificate, ExactBag, TupleChecks}

/** Compares the claims of a tail sketch with the exact data. */
object TailCertificate {

  /** More ranks than these are not all checked. */
  private val MostRanks = 20000L

  private val phis: Seq[Phi] =
    Seq("0.00001", "0.0001", "0.001", "0.99", "0.999", "0.9999", "0.99999").map(text =>
      Phi(new java.math.BigDecimal(text))
    )

  /** A text for every claim that does not hold. */
  def violations(sketch: GreenwaldKhanna, seen: ExactBag): Seq[String] = {
    val tail = sketch.family.tail.get
    val profile = sketch.profile
    val answers =
      if (profile.isEmpty) Nil else phis.filter(phi => sketch.quantile(phi) != profile.quantile(phi))
    answers.map(phi => s"$phi: another answer than the profile's") ++
      wideGaps(profile, tail, sketch.epsilon) ++ wrongAnswers(profile, tail, sketch.epsilon, seen) ++
      TupleChecks.violations(sketch) ++ Certificate.loose(sketch) ++
      Certificate.violations(profile, seen)
  }

  /** The most that an answer at a rank may be off. */
  def allowed(tail: Tail, epsilon: Double, rank: Long, count: Long): Long =
    TupleChecks.share(epsilon, tail.nearer(rank, count - rank + 1))

  /** A text for every gap of a profile where the certified error is above what is promised. */
  def wideGaps(profile: RankProfile, tail: Tail, epsilon: Double): Seq[String] = {
    val n = profile.countLow
    // counts above 2⁵³ are rounded to doubles
    val share = tail.error(profile)
    val above = if (share <= epsilon * (1 + 1e-15)) Nil else Seq(s"tail error $share above $epsilon")
    above ++ (1 until profile.size).flatMap { i =>
      val (below, before) = profile.rankBounds(i - 1)
      val past = before + 1
      // two ranks in the middle are the farthest from both keys
      val half = (past - below) / 2
      Seq(below + half, past - half).distinct.flatMap { rank =>
        val certified = math.min(rank - below, past - rank)
        val isNear = certified > 0.99 * epsilon * tail.nearer(rank, n - rank + 1)
        val most = if (isNear) allowed(tail, epsilon, rank, n) else certified
        Option.when(certified > most)(s"rank $rank: certified $certified, promised $most")
      }
    }
  }

  /** The ranks whose answers are off by more than is promised. */
  private def wrongAnswers(profile: RankProfile, tail: Tail, epsilon: Double, seen: ExactBag): Seq[String] =
    if (profile.isEmpty || seen.isEmpty) Nil
    else {
      val n = seen.count
      val ranks =
        if (n <= MostRanks) (1L to n).iterator
        else {
          val third = MostRanks / 3
          (1L to third).iterator ++ (n - third to n).iterator ++
            (1L to third).iterator.map(i => (BigInt(n) * i / third).toLong)
        }
      ranks.flatMap { rank =>
        val error = seen.error(profile.keyOfRank(rank), rank)
        // exact arithmetic is slow, and most errors are far from what is allowed
        val isNear = error > 0 && error > 0.99 * epsilon * tail.nearer(rank, n - rank + 1)
        Option.when(isNear && error > allowed(tail, epsilon, rank, n))(s"rank $rank: off by $error")
      }.toSeq
    }
}
