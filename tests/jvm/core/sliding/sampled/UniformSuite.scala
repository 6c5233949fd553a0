package chronosketch.sliding.sampled

import java.util.SplittableRandom

import org.apache.commons.math3.distribution.ChiSquaredDistribution

import chronosketch.{Cases, Suite}

/** Tests that all sets of the frame's elements of the same size are equally likely: over many seeds, one element of a sample is
  * any of the frame's elements, and two of it are any two. Uses chi-square tests at level 10⁻⁴ with fixed seeds.
  */
class UniformSuite extends Suite {
  private val trials = Cases.of(40000)
  private val k = 5

  private val samples: Seq[(String, Long => SortedSample)] = Seq(
    "bernoulli" -> (new Bernoulli(0.3, _)),
    "priority" -> (new Priority(k, _)),
    "bounded_priority" -> (new BoundedPriority(k, _))
  )

  /** The moves before the frame is sampled: pairs of numbers of elements that arrive, and then leave. The keys are the positions.
    */
  private val moves: Seq[(String, Seq[(Int, Int)])] = Seq(
    "never left" -> Seq(12 -> 0),
    "one by one" -> (Seq(12 -> 0) ++ Seq.fill(40)(1 -> 1)),
    "in slides" -> (Seq(12 -> 0) ++ Seq.fill(7)(4 -> 4)),
    "all at once" -> Seq(12 -> 12, 12 -> 0),
    "grown" -> (Seq(4 -> 0) ++ Seq.fill(20)(1 -> 1) ++ Seq(8 -> 0)),
    "shrunk" -> (Seq(40 -> 0) ++ Seq.fill(10)(1 -> 1) ++ Seq(0 -> 28)),
    "breathing" -> Seq(9 -> 2, 11 -> 9, 5 -> 8, 20 -> 3, 2 -> 20, 7 -> 1, 6 -> 5)
  )

  private def chiSquare(counts: Array[Int]): Double = {
    val expected = counts.sum.toDouble / counts.length
    counts.map(c => (c - expected) * (c - expected) / expected).sum
  }

  private def isLikely(counts: Array[Int], what: String): Unit = {
    val limit = new ChiSquaredDistribution(counts.length - 1.0).inverseCumulativeProbability(1 - 1e-4)
    assert(chiSquare(counts) <= limit, s"$what: χ² = ${chiSquare(counts)}, $limit allowed: ${counts.toSeq}")
  }

  for ((name, sample) <- samples; (moving, steps) <- moves)
    test(s"$name, $moving") {
      val n = steps.map { case (came, left) => came - left }.sum
      val begin = steps.map(_._2).sum
      val ones = new Array[Int](n)
      val pairs = new Array[Int](n * (n - 1) / 2)
      val choice = new SplittableRandom(5L)
      (0 until trials).foreach { trial =>
        val drawn = sample(1000003L * trial + 7)
        var place = 0L
        for ((came, left) <- steps) {
          (0 until came).foreach { _ => drawn.append(place); place += 1 }
          drawn.expire(left.toLong)
        }
        val size = drawn.size
        if (size > 0) ones((drawn.at(choice.nextInt(size)) - begin).toInt) += 1
        if (size > 1) {
          val i = choice.nextInt(size)
          val j = (i + 1 + choice.nextInt(size - 1)) % size
          val (a, b) = ((drawn.at(i) - begin).toInt, (drawn.at(j) - begin).toInt)
          val (low, high) = (math.min(a, b), math.max(a, b))
          pairs(high * (high - 1) / 2 + low) += 1
        }
      }
      assert(ones.sum > trials / 2)
      isLikely(ones, "one of the sample")
      isLikely(pairs, "two of the sample")
    }

  test("a biased reservoir has the expected distribution of ages") {
    val size = 20
    val ages = new Array[Int](81)
    val choice = new SplittableRandom(6L)
    val seeds = Cases.of(2000)
    (0 until seeds).foreach { seed =>
      val drawn = new BiasedReservoir(size, seed.toLong)
      (0 until 1000).foreach(i => drawn.append(i.toLong))
      assertEquals(drawn.size, size)
      ages(math.min(80L, 999 - drawn.at(choice.nextInt(size))).toInt) += 1
    }
    // e^{−λ·age}/size, λ = −ln(1 − 1/size)
    val kept = 1 - 1.0 / size
    val expected = Array.tabulate(81)(age =>
      if (age < 80) seeds * math.pow(kept, age.toDouble) / size else seeds * math.pow(kept, 80)
    )
    val chi = ages.indices.map(i => math.pow(ages(i) - expected(i), 2) / expected(i)).sum
    val limit = new ChiSquaredDistribution(80.0).inverseCumulativeProbability(1 - 1e-4)
    assert(chi <= limit, s"χ² = $chi, $limit allowed")
  }
}
