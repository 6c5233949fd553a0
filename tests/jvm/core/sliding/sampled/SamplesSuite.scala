package chronosketch.sliding.sampled

import java.util.SplittableRandom

import org.apache.commons.math3.distribution.BinomialDistribution

import chronosketch.{Cases, Suite}
import chronosketch.rank.Phi
import chronosketch.summary.{Distributions, ExactBag}

/** Tests the guarantees of samples about size, elements and ranks, after every step of frames that move at random. */
class SamplesSuite extends Suite {
  private val structures = Seq(Bernoulli, Priority, BoundedPriority, BiasedReservoir)
  private val uniform: Seq[SampleStructure[SortedSample with UniformSample]] =
    Seq(Bernoulli, Priority, BoundedPriority)
  private val delta = 1e-3

  /** Appends the elements one by one, and expires the oldest beyond `capacity`, and some more after each step. */
  private def walk(sample: FrameSample, keys: Array[Long], capacity: Int)(look: (Int, Int) => Unit): Unit = {
    val random = new SplittableRandom(17L)
    var from, until = 0
    while (until < keys.length) {
      val step = math.min(1 + random.nextInt(capacity / 2), keys.length - until)
      var i = 0
      while (i < step) {
        if (until - from == capacity) { sample.expire(1L); from += 1 }
        sample.append(keys(until))
        until += 1
        i += 1
      }
      val leave = if (random.nextInt(3) == 0) random.nextInt(until - from) else 0
      sample.expire(leave.toLong)
      from += leave
      assertEquals(sample.count, (until - from).toLong)
      look(from, until)
    }
  }

  for (structure <- uniform)
    test(s"$structure: elements of the frame, each once, no more than it may keep") {
      for ((epsilon, capacity) <- Seq(0.2 -> 3000, 0.1 -> 5000, 0.05 -> 700)) {
        val k = FrameSampleSize.within(capacity.toLong, epsilon, delta)
        val sample = structure.of(capacity.toLong, epsilon, delta, 11L)
        var sizes, looks = 0L
        walk(sample, Array.tabulate(40000)(_.toLong), capacity) { (from, until) =>
          val n = until - from
          val drawn = (0 until sample.size).map(sample.at)
          assert(drawn.forall(place => from <= place && place < until))
          assertEquals(drawn.distinct.size, drawn.size)
          def clue = s"${drawn.size} of $n, k = $k, R = $capacity, ${sample.stored} kept"
          if (k == capacity) assertEquals(drawn.size, n, clue)
          else
            structure match {
              case Priority =>
                assertEquals(drawn.size, math.min(k, n), clue)
                // twice the expected k·(1 + ln(n/k)), as a margin for chance
                assert(
                  sample.stored <= 2 * math.max(64.0, 1.2 * k * (1 + math.log(capacity.toDouble / k))),
                  clue
                )
              case BoundedPriority => assert(drawn.size <= 2 * k && sample.stored <= 4 * k, clue)
              case _ =>
                val mean = k.toDouble * n / capacity
                val spread = math.sqrt(2 * mean * math.log(1e5)) + math.log(1e5)
                assert(math.abs(drawn.size - mean) <= spread, clue)
            }
          sizes += drawn.size
          looks += 1
        }
        if (structure == BoundedPriority)
          assert(sizes >= looks * k * 2 / 3, s"$sizes in $looks, k = $k")
      }
    }

  for (structure <- uniform)
    test(s"$structure: the band holds for all ranks at once") {
      val allowed = 0.1
      val phis = (0 to 100).map(i => Phi(i / 100.0))
      for (distribution <- Cases.some(6, Distributions.all)) {
        val capacity = 600
        val keys = distribution.sample(2 * capacity, 3L)
        val seen = ExactBag.of(keys.drop(capacity))
        val trials = Cases.of(200)
        val missed = (0 until trials).count { seed =>
          val sample = structure.of(capacity.toLong, 0.15, allowed, 31L * seed)
          keys.foreach { key =>
            sample.append(key)
            if (sample.count > capacity) sample.expire(1L)
          }
          val band = math.ceil(sample.band(allowed) * capacity).toLong
          assert(band > 0 && band < capacity / 2, s"$band")
          phis.exists { phi =>
            val rank = phi.rank(capacity.toLong)
            val key = sample.quantile(phi)
            val below = if (key == Long.MinValue) 0L else seen.rank(key - 1)
            math.max(rank - seen.rank(key), below + 1 - rank) > band
          }
        }
        val most = new BinomialDistribution(trials, allowed).inverseCumulativeProbability(1 - 1e-4)
        assert(missed <= most, s"${distribution.name}: $missed of $trials missed, $most allowed")
      }
    }

  test("the size from the literature gives ε with probability 1 − δ") {
    for (epsilon <- Seq(0.1, 0.03, 0.01, 0.001); delta <- Seq(0.1, 1e-3, 1e-4, 1e-8)) {
      val size = FrameSampleSize.of(epsilon, delta)
      assert(FrameSampleSize.band(size, Long.MaxValue, delta) <= epsilon, s"ε = $epsilon, δ = $delta: $size")
    }
    assertEquals(FrameSampleSize.of(0.01, 1e-4), 138156L)
    assertEquals(FrameSampleSize.band(0, 10, 0.1), 1.0)
    assertEquals(FrameSampleSize.band(10, 10, 0.1), 0.0)
  }

  for (structure <- structures)
    test(s"$structure: the same seed, the same answers") {
      val keys = Distributions.all.head.sample(5000, 3L)
      def answers(seed: Long): Seq[Long] = {
        val sample = structure.of(1000L, 0.2, delta, seed)
        val found = Seq.newBuilder[Long]
        walk(sample, keys, 1000) { (_, _) => if (sample.size > 0) found += sample.quantile(Phi(0.5)) }
        found.result()
      }
      assertEquals(answers(5L), answers(5L))
      assertNotEquals(answers(5L), answers(6L))
    }

  test("a reservoir forgets at its rate") {
    val size = BiasedReservoir.sizeAt(0.01)
    assertEquals(size, 101)
    val sample = new BiasedReservoir(size, 3L)
    walk(sample, Array.tabulate(20000)(_.toLong), 50)((_, _) => ())
    assertEquals((sample.size, sample.stored), (size, size.toLong))
    // older than the frame: the sample does not know the frame
    assert((0 until size).exists(i => sample.at(i) < 20000 - 50))
  }
}
