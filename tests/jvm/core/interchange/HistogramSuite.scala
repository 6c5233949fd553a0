package chronosketch.interchange

import java.math.{BigDecimal => Exact, MathContext}

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.domain.{Conversion, Domain, DomainGen, DoubleKeys}
import chronosketch.rank.Phi
import chronosketch.shape.LinearQuantile
import chronosketch.summary.{Certificate, ExactBag}
import chronosketch.window.WindowCertificate

/** Counts values as a client does, and checks the claims of the sketch of the histogram against the values. */
class HistogramSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(300))

  private def limits(domain: Domain, minimum: Option[Long] = None, maximum: Option[Long] = None): Limits =
    Limits(domain, minimum, maximum, Conversion.text(_, domain))

  private def refused(body: => Any): String = {
    val refusal = intercept[Refusal] { body; () }
    assertEquals(refusal.condition, "CHRONOSKETCH_INVALID_HISTOGRAM")
    refusal.parameters("reason")
  }

  private def isNumber(domain: Domain)(key: Long): Boolean = !domain.isFloating || key != DoubleKeys.NaN

  private val cases = for {
    domain <- Gen.oneOf(Domain.Double, Domain.BigInt, Domain.Timestamp, Domain.Date, Domain.decimal(5, 2))
    few <- Gen.choose(0, 12)
    bounds <- Gen.listOfN(few, DomainGen.value(domain)).map(_.filter(isNumber(domain)).distinct.sorted)
    n <- Gen.choose(0, 60)
    own <- Gen.listOfN(n, DomainGen.value(domain)).map(_.filter(isNumber(domain)))
    // on the bounds, and next to them
    near <- Gen.listOf(Gen.oneOf(0L :: bounds))
    knowsEnds <- Gen.oneOf(true, false)
  } yield {
    val beside = near.flatMap(b => Seq(Some(b), DomainGen.next(domain, b)).flatten).filter(isNumber(domain))
    (domain, bounds.toArray, (own ++ beside).toArray, knowsEnds)
  }

  property("explicit bounds: the certificate holds, and ranks are exact at the bounds") {
    forAll(cases) { case (domain, bounds, values, knowsEnds) =>
      val counts = new Array[Long](bounds.length + 1)
      values.foreach(v => counts(bounds.count(_ < v)) += 1)
      val ends = limits(
        domain,
        values.minOption.filter(_ => knowsEnds),
        values.maxOption.filter(_ => knowsEnds)
      )
      val sketch = ImportedHistogram.of(bounds, counts, ends)
      val seen = ExactBag.of(values)
      assertEquals(WindowCertificate.violations(sketch.profile, seen), Nil)
      assertEquals(sketch.countBounds, (values.length.toLong, values.length.toLong))
      if (values.nonEmpty) bounds.foreach { b =>
        val rank = seen.rank(b)
        assertEquals(sketch.profile.rankBounds(sketch.profile.position(b)), (rank, rank))
      }
      if (knowsEnds && values.nonEmpty)
        assertEquals(Certificate.unbounded(sketch.profile, seen), Nil)
      // cumulative counts, or a last bound of +∞, give the same sketch
      val cumulative = counts.scanLeft(0L)(_ + _).tail
      def ranks(s: ImportedSketch) =
        (0 until s.profile.size).map(i => (s.profile.key(i), s.profile.rankBounds(i)))
      val again = ImportedHistogram.of(bounds, ImportedHistogram.differences(cumulative), ends)
      assertEquals(ranks(again), ranks(sketch))
      if (domain == Domain.Double && !bounds.lastOption.contains(DoubleKeys.PositiveInfinity)) {
        val closed = ImportedHistogram.of(bounds :+ DoubleKeys.PositiveInfinity, counts, ends)
        assertEquals(ranks(closed), ranks(sketch))
      }
    }
  }

  property(
    "explicit bounds: on a line, the answer is that of histogram_quantile, also for merged histograms"
  ) {
    val buckets = for {
      few <- Gen.choose(1, 8)
      bounds <- Gen.listOfN(few, Gen.choose(1, 1000)).map(_.map(_ / 8.0).distinct.sorted)
      counts <- Gen.listOfN(bounds.length, Gen.choose(0L, 50L)).suchThat(_.sum > 0)
      times <- Gen.choose(1, 3)
      q <- Gen.choose(0, 1000).map(_ / 1000.0)
    } yield (bounds, counts, times, q)
    forAll(buckets) { case (bounds, counts, times, q) =>
      val keys = bounds.map(DoubleKeys.key).toArray
      def one = ImportedHistogram.of(keys, counts.toArray :+ 0L, limits(Domain.Double))
      val sketch = one
      (1 until times).foreach(_ => sketch.merge(one))
      // as Prometheus computes it
      val n = counts.sum
      val rank = q * n
      val sums = counts.scanLeft(0L)(_ + _).tail
      val b = math.min(sums.indexWhere(_ >= rank), counts.length - 1)
      val start = if (b == 0) 0.0 else bounds(b - 1)
      val before = if (b == 0) 0L else sums(b - 1)
      val first = counts.indexWhere(_ > 0)
      val expected =
        if (rank == 0) (if (first == 0) 0.0 else bounds(first - 1))
        else start + (bounds(b) - start) * ((rank - before) / counts(b))
      val phi = Phi(q)
      val line = LinearQuantile.of(sketch, Domain.Double).get
      val answer = DoubleKeys.value(line.value(phi))
      assertEqualsDouble(answer, expected, 1e-9 * (1 + expected))
      val (low, high) = line.bounds(phi)
      assert(DoubleKeys.value(low) <= answer && answer <= DoubleKeys.value(high), s"$answer: $low, $high")
    }
  }

  property("on a line, answers increase with phi, also after merges of histograms with other bounds") {
    forAll(Gen.listOfN(3, cases)) { many =>
      val sketches = many.map { case (_, bounds, values, _) =>
        val numbers = bounds.map(b => (b % 100000).toDouble).distinct.sorted.map(DoubleKeys.key)
        val counts = new Array[Long](numbers.length + 1)
        values.foreach(v => counts(numbers.count(_ < DoubleKeys.key((v % 100000).toDouble))) += 1)
        ImportedHistogram.of(numbers, counts, limits(Domain.Double))
      }
      val sketch = sketches.head
      sketches.tail.foreach(sketch.merge(_))
      LinearQuantile.of(sketch, Domain.Double).foreach { line =>
        val phis = (0 to 50).map(i => Phi(i / 50.0))
        val answers = phis.map(line.value)
        assertEquals(answers, answers.sorted)
        phis.zip(answers).foreach { case (phi, answer) =>
          val (low, high) = line.bounds(phi)
          assert(low <= answer && answer <= high, s"$phi: $answer from $low to $high")
        }
      }
    }
  }

  test("on a line, counts of infinite values answer infinity") {
    val bounds = Array(Double.NegativeInfinity, 2.0, Double.MaxValue)
    val sketch =
      ImportedHistogram.of(bounds.map(DoubleKeys.key), Array(3L, 2L, 1L, 2L), limits(Domain.Double))
    // one bucket in the middle of another
    sketch.merge(
      ImportedHistogram.of(Array(-1.0, 1.0).map(DoubleKeys.key), Array(0L, 2L, 0L), limits(Domain.Double))
    )
    val line = LinearQuantile.of(sketch, Domain.Double).get
    val answers = Seq(0.0, 0.3, 0.4, 0.6, 0.75, 0.85, 1.0).map(phi => DoubleKeys.value(line.value(Phi(phi))))
    assertEquals(answers, answers.sorted)
    assertEquals(answers.count(_ == Double.NegativeInfinity), 2)
    assertEquals(answers.count(_ == Double.PositiveInfinity), 2)
  }

  test("explicit bounds: invalid histograms are rejected") {
    val two = Array(10L, 20L)
    val unlimited = limits(Domain.BigInt)
    assert(
      refused(ImportedHistogram.of(Array(10L, 10L), Array(1L, 2L, 3L), unlimited))
        .startsWith("bound 2 is 10 after 10")
    )
    assert(refused(ImportedHistogram.of(
      two,
      Array(1L, 2L),
      unlimited
    )).startsWith("it has 2 counts and 2 bounds"))
    assert(refused(ImportedHistogram.of(two, Array(1L, 2L, 3L, 4L), unlimited)).startsWith("it has 4 counts"))
    assert(refused(ImportedHistogram.of(two, Array(1L, -2L, 3L), unlimited)).startsWith("bucket 2 counts -2"))
    assert(refused(ImportedHistogram.differences(Array(1L, 4L, 3L))).startsWith("count 3 is 3 after 4"))
    assert(refused(limits(Domain.BigInt, Some(3L), Some(2L))).startsWith("minimum 3 is above maximum 2"))
    val above = limits(Domain.BigInt, Some(15L))
    assert(refused(ImportedHistogram.of(
      two,
      Array(1L, 2L, 3L),
      above
    )).startsWith("bucket 1 counts 1 values, but no value"))
    assertEquals(ImportedHistogram.of(two, Array(0L, 2L, 3L), above).profile.minimum, 15L)
    val nan = Array(DoubleKeys.key(1.0), DoubleKeys.NaN)
    assert(refused(ImportedHistogram.of(
      nan,
      Array(1L, 2L, 3L),
      limits(Domain.Double)
    )).startsWith("bound 2 is NaN"))
    assert(refused(limits(Domain.Double, Some(DoubleKeys.NaN))).startsWith("minimum or maximum is NaN"))
    val many = Array(Long.MaxValue, 1L, 0L)
    assertEquals(
      intercept[Refusal](ImportedHistogram.of(two, many, unlimited)).condition,
      "CHRONOSKETCH_COUNT_OVERFLOW"
    )
    assertEquals(ImportedHistogram.of(Array.empty, Array(7L), unlimited).countBounds, (7L, 7L))
  }

  test("merging adds the deltas, up to 1; an empty sketch has delta 0") {
    val profile = ImportedHistogram.of(Array(10L), Array(3L, 4L), limits(Domain.BigInt)).profile
    val a = ImportedSketch(Domain.BigInt, 0.25, profile)
    a.merge(ImportedSketch(Domain.Int, 0.5, profile))
    assertEquals((a.delta, a.confidence, a.count), (0.75, 0.25, 14L))
    a.merge(a.newEmpty)
    assertEquals(a.delta, 0.75)
    a.merge(ImportedSketch(Domain.Int, 0.5, profile))
    assertEquals((a.delta, a.confidence), (1.0, 0.0))
    assertEquals(a.description.confidence, Some(0.0))
  }

  /** The index as clients compute it: by a logarithm if the scale is above 0, else by the exponent. */
  private def index(value: Double, scale: Int): Int =
    if (scale > 0) {
      val byPower = Math.getExponent(value).toLong << scale
      if (value == Math.scalb(1.0, Math.getExponent(value))) (byPower - 1).toInt
      else math.ceil(Math.log(value) * Math.scalb(1 / Math.log(2), scale)).toInt - 1
    } else {
      val exponent = Math.getExponent(value)
      (if (value == Math.scalb(1.0, exponent)) exponent - 1 else exponent) >> -scale
    }

  private def edge(index: Long, scale: Int): Double = Math.pow(2, index / Math.scalb(1.0, scale))

  private val exponential = for {
    scale <- Gen.choose(-10, 20)
    n <- Gen.choose(0, 40)
    near <- Gen.oneOf(1e-300, 1e-3, 1.0, 37.5, 1e200, java.lang.Double.MIN_NORMAL, Double.MaxValue / 1.01)
    // on the edges of buckets and next to them
    at <- Gen.listOfN(n, Gen.zip(Gen.choose(0L, 60L), Gen.choose(-2, 2), Gen.oneOf(1.0, -1.0, -1.0, 0.0)))
    knowsEnds <- Gen.oneOf(true, false)
  } yield {
    val start = index(near, scale).toLong
    val values = at.map { case (i, ulps, sign) =>
      val on = edge(start + i, scale)
      sign * math.max(
        java.lang.Double.MIN_NORMAL,
        math.min(Double.MaxValue, on + ulps * Math.ulp(math.min(on, 1e300)))
      )
    }
    (scale, values.toArray, knowsEnds)
  }

  private def side(values: Seq[Double], scale: Int): ImportedExponentialHistogram.Side =
    if (values.isEmpty) ImportedExponentialHistogram.Side(0, Array.empty)
    else {
      val indexes = values.map(index(_, scale))
      val counts = new Array[Long](indexes.max - indexes.min + 1)
      indexes.foreach(i => counts(i - indexes.min) += 1)
      ImportedExponentialHistogram.Side(indexes.min, counts)
    }

  property("exponential buckets: the certificate holds for all values, including those at edges") {
    forAll(exponential) { case (scale, values, knowsEnds) =>
      val keys = values.map(DoubleKeys.key)
      val ends =
        limits(
          Domain.Double,
          keys.minOption.filter(_ => knowsEnds),
          keys.maxOption.filter(_ => knowsEnds)
        )
      val sketch = ImportedExponentialHistogram.of(
        scale,
        values.count(_ == 0.0).toLong,
        side(values.toSeq.filter(_ > 0), scale),
        side(values.toSeq.filter(_ < 0).map(-_), scale),
        0.0,
        ends
      )
      assertEquals(WindowCertificate.violations(sketch.profile, ExactBag.of(keys)), Nil, s"$scale")
    }
  }

  test("exponential buckets: the edges enclose the exact edges closely") {
    // 2, 2^(1/2), 2^(1/4), … to 60 digits
    val digits = new MathContext(60)
    val roots = Iterator.iterate(new Exact(2))(_.sqrt(digits)).take(21).toArray
    val random = new java.util.SplittableRandom(1)
    for (scale <- 1 to 20; _ <- 1 to 20) {
      val edges = new ExponentialEdges(scale)
      val i = random.nextLong(-1000L << scale, 1000L << scale)
      val fraction = (1 to scale).filter(b => (Math.floorMod(i, 1L << scale) >> (scale - b) & 1) == 1)
      val octave = Math.floorDiv(i, 1L << scale).toInt
      val exact = fraction.map(roots(_)).foldLeft(new Exact(2).pow(octave, digits))(_.multiply(_, digits))
      val (low, high) = (new Exact(edges.low(i)), new Exact(edges.high(i - 1)))
      assert(low.compareTo(exact) < 0 && exact.compareTo(high) < 0, s"$scale, $i: $low, $exact, $high")
      assert(high.subtract(low).divide(exact, digits).doubleValue < 1e-12, s"$scale, $i: $low, $high")
    }
    for (scale <- -10 to 0) {
      val edges = new ExponentialEdges(scale)
      val exponent = (1 << -scale).toDouble
      assertEquals(edges.high(0), if (exponent < 1024) math.pow(2, exponent) else Double.PositiveInfinity)
      assertEquals(edges.low(0), Math.nextUp(1.0))
      assertEquals(edges.high(-1), 1.0)
    }
  }

  test("exponential buckets: zeros, a zero threshold that overlaps buckets, and invalid histograms") {
    def of(
        scale: Int,
        positive: ImportedExponentialHistogram.Side,
        zero: Long = 0L,
        threshold: Double = 0.0
    ) =
      ImportedExponentialHistogram.of(
        scale,
        zero,
        positive,
        ImportedExponentialHistogram.Side(0, Array.empty),
        threshold,
        limits(Domain.Double)
      )
    val none = ImportedExponentialHistogram.Side(0, Array.empty)
    val zeros = of(3, none, zero = 5L).profile
    assertEquals((zeros.size, zeros.key(0), zeros.rankBounds(0)), (1, 0L, (5L, 5L)))
    // 0.5 may be counted as a zero or in the bucket (0.25, 0.5]
    val wide =
      of(0, ImportedExponentialHistogram.Side(-2, Array(2L, 1L)), zero = 3L, threshold = 0.75).profile
    val at = wide.rankBounds(wide.position(DoubleKeys.key(0.5)))
    assert(at._1 <= 2 && at._2 >= 5, s"$at")
    assertEquals(wide.rankBounds(wide.position(DoubleKeys.key(1.0))), (6L, 6L))
    assert(refused(of(21, none)).startsWith("its scale is 21"))
    assert(refused(of(0, none, threshold = -1)).startsWith("its zero_threshold is -1.0"))
    assert(refused(of(0, none, threshold = Double.NaN)).startsWith("its zero_threshold is NaN"))
    assert(refused(of(0, none, zero = -1L)).startsWith("the zero bucket counts -1"))
    val far = ImportedExponentialHistogram.Side(Int.MaxValue - 1, Array(0L, 0L, 1L))
    (-10 to 20).foreach(scale => assert(refused(of(scale, far)).contains("of index 2147483648,"), s"$scale"))
    val tiny = ImportedExponentialHistogram.Side(Int.MinValue, Array(1L))
    (-10 to 20).foreach(scale => assert(refused(of(scale, tiny)).contains("no DOUBLE lies in it"), s"$scale"))
    // an empty bucket may have any index
    assert(of(0, ImportedExponentialHistogram.Side(Int.MaxValue, Array(0L))).profile.isEmpty)
  }
}
