package chronosketch.warehouse

import java.util.SplittableRandom

import chronosketch.{Refusal, Suite}
import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.summary._

/** Tests that the samples of a run have exact ranks, are close to one another and few, and can be stored as a sketch. */
class RunSamplesSuite extends Suite {
  private val epsilons = Seq(0.5, 0.1, 0.01, 1e-3)
  private val sizes = Seq(1, 2, 3, 10, 99, 1000, 30000)

  private def violations(sketch: GreenwaldKhanna, run: Array[Long]): Seq[String] = {
    val seen = ExactBag.of(run)
    val tuples = TupleChecks.of(sketch)
    val ranks = tuples.scanLeft(0L)(_ + _.g).tail
    val inexact = tuples.indices.filter { i =>
      val isLast = i + 1 < tuples.size && tuples(i + 1).key == tuples(i).key
      val before = seen.rank(tuples(i).key) - ranks(i)
      val copies = seen.rank(tuples(i).key) - (if (tuples(i).key == Long.MinValue) 0L
                                               else seen.rank(tuples(i).key - 1))
      tuples(i).delta != 0 || before != (if (isLast) copies - 1 else 0L)
    }.map(i => s"rank ${ranks(i)} of ${tuples(i)} is not exact")
    val error = sketch.profile.certifiedError
    val allowed = math.max(1L, TupleChecks.share(sketch.epsilon, sketch.count)) / 2
    val wide = if (error <= allowed) Nil else Seq(s"error $error above $allowed")
    // a kept key takes one or two tuples, and two neighbouring gaps together exceed ⌊εn⌋ ranks
    val most = 4 / sketch.epsilon + 4
    val many = if (tuples.size <= most) Nil else Seq(s"${tuples.size} tuples, above $most")
    inexact ++ wide ++ many ++ Certificate.violations(sketch, seen, merged = false)
  }

  Distributions.all.foreach { d =>
    test(s"${d.name}: ranks are exact, errors are half of epsilon, tuples are few") {
      for (epsilon <- epsilons; n <- sizes) {
        val run = SortedRuns.sorted(d.sample(n, n.toLong))
        val sketch = SortedRuns.samples(run, epsilon).sketch(d.domain)
        assertEquals(violations(sketch, run), Nil, s"n = $n, epsilon = $epsilon")
      }
    }
  }

  test("a run in parts has the same guarantees") {
    for (seed <- 1L to 60L) {
      val random = new SplittableRandom(seed)
      val d = Distributions.all(random.nextInt(Distributions.all.size))
      val epsilon = epsilons(random.nextInt(epsilons.size))
      val run = SortedRuns.sorted(d.sample(random.nextInt(20000), seed))
      val cuts = Seq.fill(random.nextInt(6))(random.nextInt(run.length + 1)).sorted
      val whole = new RunSamples(epsilon)
      (0 +: cuts).zip(cuts :+ run.length).foreach { case (from, until) =>
        whole.append(SortedRuns.samples(run.slice(from, until), epsilon))
      }
      assertEquals(whole.count, run.length.toLong)
      assertEquals(violations(whole.sketch(d.domain), run), Nil, s"seed $seed")
    }
  }

  test("a run limited to few keys, also in parts, reaches a small error") {
    for (seed <- 1L to 60L) {
      val random = new SplittableRandom(seed)
      val d = Distributions.all(random.nextInt(Distributions.all.size))
      val run = SortedRuns.sorted(d.sample(1 + random.nextInt(20000), seed))
      val most = 2 + random.nextInt(300)
      val cut = random.nextInt(run.length + 1)
      val parts = Seq(run.take(cut), run.drop(cut)).map { part =>
        val samples = SortedRuns.samples(part, 1e-6)
        samples.holdAtMost(most)
        assert(samples.held <= most)
        val bytes = new java.io.ByteArrayOutputStream
        new java.io.ObjectOutputStream(bytes).writeObject(samples)
        // three longs per key, and the overhead of serialization
        assert(
          bytes.size <= 24 * (most + 1) + 500 || samples.held == part.distinct.length,
          s"${bytes.size} bytes"
        )
        samples
      }
      val whole = new RunSamples(1e-6)
      parts.foreach(whole.append)
      val finest = whole.leastEpsilon
      // within a factor of two, for each halving and each part, of evenly spread keys
      assert(finest <= 0 || finest * most <= 8, s"seed $seed: $finest with $most keys")
      if (finest <= 0.5) {
        val sketch = whole.sketch(d.domain, math.max(finest, 1e-6))
        val error = sketch.profile.certifiedError
        assert(
          error <= math.max(1L, TupleChecks.share(sketch.epsilon, sketch.count)) / 2,
          s"seed $seed: $error"
        )
        assertEquals(Certificate.violations(sketch, ExactBag.of(run), merged = false), Nil, s"seed $seed")
      }
    }
  }

  test("few distinct keys are exact, for any numbers of copies") {
    val run = SortedRuns.sorted(Array.tabulate(50000)(i => (i % 90).toLong * (i % 90)))
    val sketch = SortedRuns.samples(run, 0.01).sketch(Domain.BigInt)
    assert(sketch.profile.isExact)
  }

  test("the sketch is encoded and decoded with its exact ranks") {
    for (d <- Distributions.all; n <- Seq(1, 5, 500, 20000)) {
      val run = SortedRuns.sorted(d.sample(n, 7L))
      val sketch = SortedRuns.samples(run, 0.01).sketch(d.domain)
      val read = Families.open(Envelope.seal(sketch)).asInstanceOf[GreenwaldKhanna]
      assertEquals(violations(read, run), Nil, s"${d.name}, n = $n")
      assertEquals(TupleChecks.of(read), TupleChecks.of(sketch), s"${d.name}, n = $n")
    }
  }

  test("sketches of runs can be merged") {
    val runs = Seq(1L, 2L, 3L).map(seed => SortedRuns.sorted(Distributions.random.head.sample(5000, seed)))
    val union = SortedRuns.samples(runs.head, 0.01).sketch(Domain.Double)
    runs.tail.foreach(run => union.merge(SortedRuns.samples(run, 0.01).sketch(Domain.Double)))
    assertEquals(Certificate.violations(union, ExactBag.of(runs.flatten.toArray), merged = true), Nil)
  }

  test("samples without keys give an empty sketch") {
    val samples = new RunSamples(0.01)
    samples.append(new RunSamples(0.01))
    assertEquals(samples.sketch(Domain.BigInt).count, 0L)
    assertEquals(KnownRanks.of(samples.sketch(Domain.BigInt)).count, 0L)
  }

  test("keys out of order are refused, in a part and between parts") {
    def refused(body: => Unit): Unit =
      assertEquals(intercept[Refusal](body).condition, "CHRONOSKETCH_WAREHOUSE_DAMAGED")
    refused { SortedRuns.samples(Array(2L, 1L), 0.1); () }
    refused(SortedRuns.samples(Array(1L, 5L), 0.1).append(SortedRuns.samples(Array(4L, 6L), 0.1)))
  }
}
