package chronosketch

import java.util.SplittableRandom

import chronosketch.codec.{ByteMutations, HostileBytes}
import chronosketch.comparison.{ComparisonCampaign, Coverage, CoverageCampaign}
import chronosketch.quantile.TailCampaign

/** Runs a few cases of each campaign with every test run. They differ from the first cases of the campaigns themselves. */
class CampaignsSuite extends Suite {
  private val seed = 7L

  test(
    "corrupt bytes are refused with a condition, or give a sketch that answers, merges and can be stored again"
  ) {
    val cases = new ByteMutations(seed)
    val accepted = (0 until Cases.of(6000)).count { i =>
      val c = cases(i.toLong)
      HostileBytes.outcome(c.bytes, s"seed $seed, case $i, of ${c.name}").isRight
    }
    assert(accepted > 300, accepted.toString)
  }

  test("random quantile sketches, windows, histories and DDSketches keep their certificates") {
    (0 until Cases.of(500)).foreach { i =>
      assertEquals(CertificateCampaign.one(seed, i.toLong)._2.take(3), Nil, s"case $i")
    }
  }

  test("random sketches of tails keep their certificates, also if many parts are merged") {
    (0 until Cases.of(300)).foreach { i =>
      assertEquals(TailCampaign.one(seed, i.toLong).violations.take(3), Nil, s"case $i")
    }
  }

  test("exact distances of random pairs of summaries are within their bounds") {
    (0 until Cases.of(400)).foreach { i =>
      assertEquals(ComparisonCampaign.pair(seed, i.toLong).violations.take(3), Nil, s"case $i")
    }
  }

  test("intervals of simulated experiments contain the population's quantiles as often as they say") {
    val coverage = new Coverage
    (0 until Cases.of(300)).foreach(i => coverage.add(CoverageCampaign.experiment(seed, i.toLong)))
    assertEquals(coverage.violations, Nil)
  }

  test("neighbouring cases of a campaign share no random numbers") {
    def numbers(number: Long): Seq[Long] = {
      val random = new SplittableRandom(Campaign.seedOf(seed, number))
      Seq.fill(200)(random.nextLong())
    }
    val drawn = (0L until 50L).flatMap(numbers)
    assertEquals(drawn.distinct.size, drawn.size)
  }

  test("counts are written as JSON, sorted by name") {
    val counts = new Counts
    Seq("b", "a", "b").foreach(counts.add)
    assertEquals(counts.json, """{"a": 1, "b": 2}""")
  }
}
