package chronosketch.shape

import java.math.{BigDecimal => Exact, RoundingMode}

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.codec.Wire
import chronosketch.domain.{Cast, Conversion, Domain, DoubleKeys}
import chronosketch.memory.Meter
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.{Bounded, Family, Header, MomentBounds}
import chronosketch.{Cases, CheckSuite, Refusal}

/** Compares the answers with sorted values: equal for exact bags, within the bounds for all others. */
class ShapeSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(300))

  import ShapeSuite._

  private val reals = Gen.frequency(
    10 -> Gen.choose(-1000, 1000).map(_ / 8.0),
    4 -> Gen.choose(-1e300, 1e300),
    2 -> Gen.oneOf(0.0, Double.MinPositiveValue, Double.MaxValue, -Double.MaxValue, 1e-310),
    1 -> Gen.oneOf(Double.NaN, Double.PositiveInfinity, Double.NegativeInfinity)
  ).map(DoubleKeys.key)

  private def bags(doubt: Gen[Boolean], domains: Gen[(Domain, Gen[Long])]): Gen[Bag] = for {
    (domain, keys) <- domains
    n <- Gen.frequency(1 -> Gen.choose(1, 4), 3 -> Gen.choose(5, 300))
    values <- Gen.listOfN(n, keys)
    epsilon <- Gen.oneOf(0.0, 0.01, 0.05, 0.2)
    isInDoubt <- doubt
    inDoubt <- Gen.choose(0, n / 2)
  } yield Bag(domain, values.toIndexedSeq, epsilon, if (isInDoubt) inDoubt else 0)

  private val numbers: Gen[(Domain, Gen[Long])] = Gen.oneOf(
    Domain.Double -> reals,
    Domain.BigInt -> Gen.oneOf(Gen.choose(0L, 20L), Gen.choose(Long.MinValue, Long.MaxValue)),
    Domain.decimal(10, 2) -> Gen.choose(-99999L, 99999L)
  )
  private val any: Gen[(Domain, Gen[Long])] =
    Gen.frequency(3 -> numbers, 1 -> Gen.const(Domain.Timestamp -> Gen.choose(Long.MinValue, Long.MaxValue)))

  private val never = Gen.const(false)
  private val maybe = Gen.oneOf(true, false)

  /** Possible contents: all values, and those without half or all of the uncertain ones. */
  private def worlds(bag: Bag): Seq[IndexedSeq[Long]] =
    Seq(0, bag.inDoubt / 2, bag.inDoubt).distinct.map(out => bag.values.drop(out).sorted).filter(_.nonEmpty)

  property("the bins of a histogram contain every value once, and their counts are within the bounds") {
    forAll(bags(maybe, any), Gen.choose(1, 30)) { (bag, wanted) =>
      val bins = EquiDepth.bins(bag.summary, wanted)
      assert(bins.nonEmpty && bins.size <= wanted)
      bins.zip(bins.tail).foreach { case (a, b) => assertEquals(a.upper, b.lower) }
      bins.tail.foreach(b => assert(b.lower < b.upper))
      val profile = bag.summary.profile
      assertEquals(
        bins.map(_.count).sum,
        profile.countLow + (profile.countHigh - profile.countLow) / 2
      )
      worlds(bag).foreach { keys =>
        val counts = bins.zipWithIndex.map { case (bin, i) =>
          keys.count(k => (k > bin.lower || (i == 0 && k == bin.lower)) && k <= bin.upper).toLong
        }
        assertEquals(counts.sum, keys.size.toLong)
        bins.zip(counts).foreach { case (bin, n) => assert(bin.low <= n && n <= bin.high, s"$bin $n") }
        bins.foreach(bin => assert(bin.low <= bin.count && bin.count <= bin.high, bin))
        if (bag.isExact) {
          assertEquals(bins.map(_.count), counts)
          val edges =
            (1 to wanted).map(i => keys(math.max(1, (i.toLong * keys.size + wanted - 1) / wanted).toInt - 1))
          assertEquals(bins.map(_.upper), edges.distinct)
        }
      }
    }
  }

  property("the exact box plot is within the bounds") {
    forAll(bags(maybe, any)) { bag =>
      val box = BoxPlot.of(bag.summary).get
      worlds(bag).foreach { keys =>
        val exact = tukey(keys, bag.domain)
        all(box).zip(exact).foreach { case (bounded, key) =>
          assert(bounded.low <= key && key <= bounded.high, s"$bounded $key of $keys")
          assert(bounded.low <= bounded.value && bounded.value <= bounded.high, bounded)
          if (bag.isExact) assertEquals(bounded, BoundedKey(key, key, key))
        }
      }
    }
  }

  private def all(box: BoxPlot): Seq[BoundedKey] = {
    import box._
    Seq(minimum, lowerWhisker, q1, median, q3, upperWhisker, maximum)
  }

  private def tukey(keys: IndexedSeq[Long], domain: Domain): Seq[Long] = {
    def quantile(phi: Double): Long = keys(Phi(phi).rank(keys.size.toLong).toInt - 1)
    def real(key: Long): Option[Exact] = new Reals(domain).exact(key)
    val (q1, q3) = (quantile(0.25), quantile(0.75))
    val whiskers = for (a <- real(q1); b <- real(q3)) yield {
      val reach = new Exact("1.5").multiply(b.subtract(a))
      // the sign of the key decides the side of an infinity or NaN
      def isLeft(key: Long, bound: Exact): Boolean = real(key).fold(key < 0)(_.compareTo(bound) < 0)
      def isRight(key: Long, bound: Exact): Boolean = real(key).fold(key > 0)(_.compareTo(bound) > 0)
      (keys.find(!isLeft(_, a.subtract(reach))).get, keys.reverse.find(!isRight(_, b.add(reach))).get)
    }
    val (left, right) = whiskers.getOrElse((keys.head, keys.last))
    Seq(keys.head, left, q1, quantile(0.5), q3, right, keys.last)
  }

  private val trims = Gen.oneOf(("0", "1"), ("0.1", "0.9"), ("0.25", "0.75"), ("0", "0.001"), ("0.999", "1"))
    .map { case (a, b) => (Phi(new Exact(a)), Phi(new Exact(b))) }

  property("the exact trimmed mean is within the bounds, which are equal up to rounding for exact bags") {
    forAll(bags(never, numbers), trims) { case (bag, (lower, upper)) =>
      val MomentBounds(value, low, high) = TrimmedMean.of(bag.summary, lower, upper).get
      val n = bag.keys.size
      val from = lower.decimal.multiply(Exact.valueOf(n.toLong)).setScale(0, RoundingMode.FLOOR).intValue
      val part = bag.keys.slice(from, upper.rank(n.toLong).toInt)
      val exact = part.map(new Reals(bag.domain).exact(_))
      assert(order(low, value) && order(value, high), (low, value, high))
      if (exact.forall(_.nonEmpty)) {
        val sum = exact.flatten.foldLeft(Exact.ZERO)(_.add(_))
        val m = Exact.valueOf(part.size.toLong)
        assert(low.isInfinite || new Exact(low).multiply(m).compareTo(sum) <= 0, (low, sum, m))
        assert(
          high.isNaN || high.isInfinite || new Exact(high).multiply(m).compareTo(sum) >= 0,
          (high, sum, m)
        )
        if (bag.isExact) assert(high <= Math.nextUp(low), (low, high))
      } else {
        val mean = part.map(DoubleKeys.value).sum / part.size
        // the sum of the finite values may overflow in this test: then the special values decide
        val special = part.map(DoubleKeys.value).filter(v => v.isNaN || v.isInfinite).sum
        assert(mean.isNaN || mean == special || mean.isInfinite)
        assert(order(low, special) && order(special, high), (low, special, high))
      }
    }
  }

  private def order(a: Double, b: Double): Boolean = java.lang.Double.compare(a, b) <= 0

  private val phis = Gen.oneOf("0", "0.001", "0.07", "0.25", "0.5", "0.75", "0.9", "0.999", "1")
    .flatMap(text => Gen.oneOf(Phi(new Exact(text)), Phi(new Exact(text)).fromGreatest))

  property(
    "a linear quantile equals PERCENTILE_CONT for exact bags and is within the bounds for all others"
  ) {
    forAll(bags(never, numbers), phis) { (bag, phi) =>
      val line = LinearQuantile.of(bag.summary, Domain.Double).get
      val (low, high) = line.bounds(phi)
      val value = line.value(phi)
      val counted = phi.decimal.multiply(Exact.valueOf(bag.keys.size - 1L))
      val steps =
        if (phi.isFromGreatest) Exact.valueOf(bag.keys.size - 1L).subtract(counted) else counted
      val i = steps.intValue
      val beyond = steps.subtract(Exact.valueOf(i.toLong))
      val (a, b) = (bag.keys(i), bag.keys(math.min(i + 1, bag.keys.size - 1)))
      val reals = new Reals(bag.domain)
      val (down, up) = (reals.exact(a), reals.exact(b)) match {
        case (Some(x), Some(y)) =>
          val exact = x.add(beyond.multiply(y.subtract(x)))
          def as(rounding: Conversion.Rounding) = Conversion.round(exact, Domain.Double, rounding).get
          (as(Conversion.Down), as(Conversion.Up))
        case _ =>
          val (x, y) = (DoubleKeys.value(a), DoubleKeys.value(b))
          val special =
            if (beyond.signum == 0 || a == b) x
            else if (y.isNaN || (x == Double.NegativeInfinity && y == Double.PositiveInfinity)) Double.NaN
            else if (x.isInfinite) x
            else y
          val key = DoubleKeys.key(special)
          (key, key)
      }
      assert(low <= down && up <= high, (low, down, up, high))
      assert(low <= value && value <= high, (low, value, high))
      if (bag.isExact) assertEquals((low, high), (down, up))
    }
  }

  test("linear quantile and trimmed mean refuse an uncertain count and values that are not numbers") {
    val two = new GreenwaldKhanna(Domain.BigInt, 0.0)
    Seq(1L, 2L).foreach(two.insert(_))
    val doubtful = Known(Domain.BigInt, RankProfile.straddling(two.profile))
    val dates = Known(Domain.Date, two.profile)
    def condition(ask: => Any): String = intercept[Refusal](ask).condition
    for (
      (summary, expected) <-
        Seq(doubtful -> "CHRONOSKETCH_COUNT_IN_DOUBT", dates -> "CHRONOSKETCH_NOT_NUMBERS")
    ) {
      assertEquals(condition(LinearQuantile.of(summary, Domain.Double)), expected)
      assertEquals(condition(TrimmedMean.of(summary, Phi(0.1), Phi(0.9))), expected)
    }
  }

  test("an empty summary has no histogram, box plot, trimmed mean or linear quantile") {
    val none = Known(Domain.BigInt, RankProfile.empty)
    assertEquals(EquiDepth.bins(none, 3), Nil)
    assertEquals(BoxPlot.of(none), None)
    assertEquals(TrimmedMean.of(none, Phi(0.1), Phi(0.9)), None)
    assertEquals(LinearQuantile.of(none, Domain.Double), None)
  }
}

private object ShapeSuite {

  /** @param inDoubt the number of values, from the first on, that may be outside of the window */
  final case class Bag(domain: Domain, values: IndexedSeq[Long], epsilon: Double, inDoubt: Int) {
    val keys: IndexedSeq[Long] = values.sorted
    private def profile(part: Seq[Long]): RankProfile = {
      val s = new GreenwaldKhanna(domain, epsilon)
      part.foreach(s.insert(_))
      s.profile
    }
    val summary: Bounded =
      Known(domain, RankProfile.straddling(profile(values.take(inDoubt))).plus(profile(values.drop(inDoubt))))
    def isExact: Boolean = summary.profile.isExact
  }

  /** A summary with a given profile. */
  final case class Known(domain: Domain, profile: RankProfile) extends Bounded {
    type Same = Known
    def family: Family[Known] = throw new UnsupportedOperationException
    def header: Header[Known] = throw new UnsupportedOperationException
    def count: Long = profile.countLow
    def newEmpty: Known = copy(profile = RankProfile.empty)
    def castBy(cast: Cast): Known = throw new UnsupportedOperationException
    protected def mergeChecked(that: Known, wider: Domain): Unit = throw new UnsupportedOperationException
    def meteredBy(owner: Meter): Unit = ()
    def write(writer: Wire.Writer): Unit = ()
  }
}
