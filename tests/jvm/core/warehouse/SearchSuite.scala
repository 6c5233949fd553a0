package chronosketch.warehouse

import java.util.SplittableRandom

import chronosketch.{Refusal, Suite}
import chronosketch.domain.Domain
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.{Certificate, Distributions, ExactBag}

/** Compares searches in runs with the sorted keys. */
class SearchSuite extends Suite {
  private val epsilons = Seq(0.3, 0.05, 0.01, 1e-3)
  private val phis = Seq("0", "0.001", "0.07", "0.5", "0.9", "0.999", "1")
    .map(text => Phi(new java.math.BigDecimal(text)))

  private def quantile(runs: SortedRuns, live: RankProfile, phi: Phi): Search = {
    val search = Search.ofQuantile(runs.known, Search.sum(runs.known, live), live, phi)
    runs.answer(search)
    search
  }

  test("summaries alone answer within half of epsilon") {
    for (seed <- 1L to 80L) {
      val epsilon = epsilons((seed % epsilons.size).toInt)
      val runs = SortedRuns.random(seed, 5000, epsilon)
      val profile = Search.sum(runs.known, RankProfile.empty)
      assertEquals(Certificate.violations(profile, runs.all), Nil, s"seed $seed")
      val allowed = runs.keys.map(run => math.max(1.0, epsilon * run.length)).sum / 2
      if (!profile.isEmpty)
        assert(profile.certifiedError <= allowed, s"seed $seed: ${profile.certifiedError}")
    }
  }

  test("a search in runs alone is exact, and its bounds equal the answer") {
    for (seed <- 1L to 80L; phi <- phis) {
      val runs = SortedRuns.random(seed, 12000, epsilons((seed % epsilons.size).toInt))
      val all = runs.all
      val profile = quantile(runs, RankProfile.empty, phi).profile
      if (all.isEmpty) assert(profile.isEmpty)
      else {
        val exact = all.at(phi.rank(all.count))
        assertEquals(profile.quantile(phi), exact, s"seed $seed, phi $phi")
        assertEquals(profile.quantileBounds(phi), (exact, exact), s"seed $seed, phi $phi")
        assertEquals(profile.errorOf(phi, profile.quantileIndex(phi)), 0L, s"seed $seed, phi $phi")
      }
    }
  }

  test("with live elements the error is at most that of the live sketch") {
    for (seed <- 1L to 80L; phi <- phis) {
      val epsilon = epsilons((seed % epsilons.size).toInt)
      val runs = SortedRuns.random(seed, 12000, epsilon)
      val (sketch, keys) = SortedRuns.live(seed, 4000, 0.02)
      val search = quantile(runs, sketch.profile, phi)
      val seen = ExactBag.of(runs.keys.flatten.toArray ++ keys)
      if (!seen.isEmpty) {
        val certified = search.profile.errorOf(phi, search.profile.quantileIndex(phi))
        val clue = s"seed $seed, phi $phi"
        assert(seen.error(search.profile.quantile(phi), phi.rank(seen.count)) <= certified, clue)
        assert(certified <= sketch.profile.certifiedError, clue)
        val exact = seen.at(phi.rank(seen.count))
        val (low, high) = search.profile.quantileBounds(phi)
        assert(low <= exact && exact <= high, clue)
      }
    }
  }

  test("ranks are exact, and with live elements as uncertain as the live sketch") {
    for (seed <- 1L to 80L) {
      val random = new SplittableRandom(seed)
      val runs = SortedRuns.random(seed, 12000, epsilons((seed % epsilons.size).toInt))
      val (sketch, _) = SortedRuns.live(seed, 4000, 0.02)
      val history = runs.all
      val asked = Seq.fill(4)(random.nextLong()) ++
        (if (history.isEmpty) Nil else Seq.fill(4)(history.keys(random.nextInt(history.distinct))))
      asked.foreach { key =>
        val alone =
          Search.ofRank(runs.known, Search.sum(runs.known, RankProfile.empty), RankProfile.empty, key)
        runs.answer(alone)
        val at = alone.profile.position(key)
        assertEquals(alone.profile.rankBounds(at), (history.rank(key), history.rank(key)), s"seed $seed")
        val withLive = Search.ofRank(runs.known, Search.sum(runs.known, sketch.profile), sketch.profile, key)
        runs.answer(withLive)
        val (low, high) = withLive.profile.rankBounds(withLive.profile.position(key))
        val (liveLow, liveHigh) = sketch.profile.rankBounds(sketch.profile.position(key))
        assertEquals((low, high), (history.rank(key) + liveLow, history.rank(key) + liveHigh), s"seed $seed")
      }
    }
  }

  test("the bounds of a window that cuts a run hold for any part of the run") {
    for (seed <- 1L to 60L; phi <- phis) {
      val random = new SplittableRandom(seed)
      val runs = SortedRuns.random(seed, 3000, 0.05)
      val cut = SortedRuns.sorted(Distributions.all.last.sample(random.nextInt(500), seed))
      val part = cut.filter(_ => random.nextInt(3) == 0)
      val uncertain = RankProfile.straddling(SortedRuns.samples(cut, 0.05).sketch(Domain.BigInt).profile)
      val seen = ExactBag.of(runs.keys.flatten.toArray ++ part)
      if (!seen.isEmpty) {
        val (low, high) = quantile(runs, uncertain, phi).profile.quantileBounds(phi)
        val exact = seen.at(phi.rank(seen.count))
        assert(low <= exact && exact <= high, s"seed $seed, phi $phi: $exact is not in [$low, $high]")
      }
    }
  }

  test("few of a million keys are read, in few passes") {
    Seq(
      Distributions.random(0),
      Distributions.mixed(1),
      Distributions.mixed(3),
      Distributions.few(1)
    ).foreach {
      d =>
        val sorted = IndexedSeq.tabulate(5)(i => SortedRuns.sorted(d.sample(200000, i.toLong)))
        for (phi <- phis) {
          val runs = new SortedRuns(sorted, 0.05)
          quantile(runs, RankProfile.empty, phi)
          // in the end at most two stretches of each run are read whole, each of at most 4 000 keys
          assert(runs.rowsRead <= 40000, s"${d.name}, phi $phi: ${runs.rowsRead} rows")
          assert(runs.passes <= 4, s"${d.name}, phi $phi: ${runs.passes} passes")
        }
    }
  }

  test("a run that contradicts its summary is refused") {
    val run = Array.tabulate(10000)(_.toLong)
    val known = KnownRanks.of(SortedRuns.samples(run, 0.1).sketch(Domain.BigInt))
    def refused(reason: String)(keys: Stretch => Array[Long]): Unit = {
      val search = Search.ofQuantile(
        IndexedSeq(known),
        known.profile,
        RankProfile.empty,
        Phi(0.5)
      )
      val learned = search.nextReads.map(a => a -> keys(a.stretch))
      val refusal = intercept[Refusal](search.learn(learned))
      assertEquals(refusal.condition, "CHRONOSKETCH_WAREHOUSE_DAMAGED")
      assert(refusal.parameters("reason").contains(reason), refusal.toString)
    }
    refused("not in order")(s => Array.fill(s.length.toInt)(-1L))
    refused("not in order")(s => Array.fill(s.length.toInt)(20000L))
    refused("has 0 rows")(_ => Array.emptyLongArray)
  }

  test("a sketch with uncertain ranks is refused as the summary of a run") {
    val sketch = new GreenwaldKhanna(Domain.BigInt, 0.1)
    Array.tabulate(5000)(i => i * 7919L % 5003).foreach(sketch.insert)
    val refusal = intercept[Refusal](KnownRanks.of(sketch))
    assertEquals(refusal.condition, "CHRONOSKETCH_WAREHOUSE_DAMAGED")
    assert(refusal.parameters("reason").contains("no exact ranks"), refusal.toString)
  }
}
