package chronosketch.summary

import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.{Phi, RankProfile}

/** Compares the claims of a profile with the exact data. Each method returns a text for every claim that does not hold. */
object Certificate {
  val phis: Seq[Phi] =
    Seq(
      "0",
      "0.00001",
      "0.001",
      "0.01",
      "0.07",
      "0.1",
      "0.25",
      "0.4999",
      "0.5",
      "0.75",
      "0.9",
      "0.95",
      "0.99"
    ) ++
      Seq("0.999", "0.9999", "1") map (text => Phi(new java.math.BigDecimal(text)))

  /** Checks a profile whose count is certain and whose keys are elements. */
  def violations(profile: RankProfile, seen: ExactBag): Seq[String] =
    unbounded(profile, seen) ++ (if (profile.isEmpty || seen.isEmpty) Nil else uncertified(profile, seen))

  /** Checks that quantiles are not wrong by more than their certified errors. The profile must not be empty. */
  def uncertified(profile: RankProfile, seen: ExactBag, checked: Seq[Phi] = phis): Seq[String] =
    checked.flatMap { phi =>
      val error = seen.error(profile.quantile(phi), phi.rank(seen.count))
      val certified = profile.errorOf(phi, profile.quantileIndex(phi))
      val off = if (error <= certified) None else Some(s"$phi: $error ranks off, certified $certified")
      val above =
        if (certified <= profile.certifiedError) None
        else Some(s"$phi: $certified, above ${profile.certifiedError}")
      off ++ above
    }

  /** Checks the bounds of a profile whose count is certain. */
  def unbounded(profile: RankProfile, seen: ExactBag): Seq[String] = {
    val found = Seq.newBuilder[String]
    def expect(holds: Boolean, what: => String): Unit = if (!holds) found += what
    expect(profile.countLow == seen.count && profile.countHigh == seen.count, s"count ${profile.countLow}")
    expect(profile.isEmpty == seen.isEmpty, s"empty: ${profile.isEmpty}")
    if (!profile.isEmpty && !seen.isEmpty) {
      val last = profile.size - 1
      expect(profile.minimum == seen.keys.head, s"minimum ${profile.minimum}")
      expect(profile.maximum == seen.keys.last, s"maximum ${profile.maximum}")
      // the four functions change only at the keys of the profile, so this checks all of their claims
      (0 to last).foreach { i =>
        val (low, high) = profile.rankBounds(i)
        expect(low <= seen.rank(profile.key(i)), s"A⁻ $low at key $i, where ${seen.rank(profile.key(i))} are")
        val before = if (i == last) seen.count else seen.rank(profile.key(i + 1) - 1)
        expect(before <= high, s"A⁺ $high at key $i, where $before are")
      }
      found ++= outside(profile, seen)
    }
    found.result()
  }

  /** Checks that exact quantiles are within their bounds. The profile must not be empty. */
  def outside(profile: RankProfile, seen: ExactBag, checked: Seq[Phi] = phis): Seq[String] =
    checked.flatMap { phi =>
      val exact = seen.at(phi.rank(seen.count))
      val (low, high) = profile.quantileBounds(phi)
      Option.when(!(low <= exact && exact <= high))(s"$phi: $exact is not in [$low, $high]")
    }

  /** Checks a sketch: its profile, its invariants, its ε, and that the profile is as narrow as the tuples allow. */
  def violations(sketch: GreenwaldKhanna, seen: ExactBag, merged: Boolean): Seq[String] = {
    val profile = sketch.profile
    val limit = if (merged) TupleChecks.mergeLimit(sketch) else TupleChecks.insertLimit(sketch)
    val allowed = TupleChecks.share(sketch.epsilon, sketch.count)
    val wide =
      if (profile.certifiedError <= allowed) Nil else Seq(s"error ${profile.certifiedError} above $allowed")
    val share =
      if (profile.isEmpty || profile.rankError <= sketch.epsilon) Nil
      else Seq(s"rank error ${profile.rankError}")
    // query before the tuples are read: reading them replaces a bag by tuples
    val answers =
      if (profile.isEmpty) Nil else phis.filter(phi => sketch.quantile(phi) != profile.quantile(phi))
    answers.map(phi => s"$phi: another answer than the profile's") ++
      TupleChecks.violations(sketch, limit) ++ wide ++ share ++ loose(sketch) ++ violations(profile, seen)
  }

  /** Checks that the profile is neither wider nor narrower than the tuples make it (docs/algorithms.md, The certificate). */
  def loose(sketch: GreenwaldKhanna): Seq[String] = {
    val profile = sketch.profile
    val tuples = TupleChecks.of(sketch)
    val ranks = tuples.scanLeft(0L)(_ + _.g).tail
    val starts = tuples.indices.filter(i => i == 0 || tuples(i).key != tuples(i - 1).key)
    val expected = starts.zipAll(starts.drop(1), -1, -1).map {
      case (start, -1) => (tuples(start).key, ranks.last, sketch.count)
      case (start, next) => (tuples(start).key, ranks(next - 1), ranks(next) + tuples(next).delta - 1)
    }
    val actual = (0 until profile.size).map { i =>
      val (low, high) = profile.rankBounds(i)
      (profile.key(i), low, high)
    }
    val steps = actual.zip(expected).collect { case (a, b) if a != b => s"$a where the tuples give $b" }
    // the certified error is the largest ⌊(g + Δ)/2⌋ of the tuples that are the first of their key
    val widest =
      starts.drop(1).map(i => (ranks(i) + tuples(i).delta - ranks(i - 1)) / 2).maxOption.getOrElse(0L)
    val sizes =
      if (actual.size == expected.size) Nil else Seq(s"${actual.size} keys where there are ${expected.size}")
    val error =
      if (profile.isEmpty || profile.certifiedError == widest) Nil
      else Seq(s"certified ${profile.certifiedError} where the tuples give $widest")
    steps ++ sizes ++ error
  }
}
