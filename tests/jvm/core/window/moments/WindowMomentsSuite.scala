package chronosketch.window.moments

import java.util.SplittableRandom

import scala.collection.mutable

import chronosketch.{Cases, Suite}
import chronosketch.bucketing.{BucketList, BucketPolicy, Buckets, RowBlock}
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.Families
import chronosketch.summary.{Envelope, Moment}
import chronosketch.window.{Constraint, Row, Rows, Windowed}
import chronosketch.window.Constraint._

/** Compares moments of windows with their definition. */
class WindowMomentsSuite extends Suite {
  private def sketch(domain: Domain, epsilon: Double, filters: Int = 0): WindowMoments =
    new WindowMoments(domain, Domain.BigInt, epsilon, Windowed.KeepAll, Vector.tabulate(filters)(i => s"f$i"))

  private def double(of: (Int, SplittableRandom) => Double): (Int, SplittableRandom) => Long =
    (i, r) => DoubleKeys.key(of(i, r))

  private def normal(r: SplittableRandom): Double = r.nextGaussian()

  /** Kinds of values, among them some that add up badly and some that are unevenly distributed. */
  private val kinds: Seq[(String, Domain, (Int, SplittableRandom) => Long)] = Seq(
    ("small numbers", Domain.Int, (_, r) => r.nextLong(-5L, 20L)),
    ("every long", Domain.BigInt, (_, r) => r.nextLong()),
    ("huge longs near each other", Domain.BigInt, (_, r) => Long.MaxValue - r.nextLong(3L)),
    ("least longs", Domain.BigInt, (_, r) => Long.MinValue + r.nextLong(3L)),
    ("decimals", Domain.decimal(18, 4), (_, r) => r.nextLong(-1000000L, 100000000000L)),
    ("normal", Domain.Double, double((_, r) => normal(r))),
    ("far from 0", Domain.Double, double((_, r) => 1e9 + 1e-6 * normal(r))),
    ("lognormal", Domain.Double, double((_, r) => math.exp(3 * normal(r)))),
    ("equal", Domain.Double, double((_, _) => 0.1)),
    ("steps", Domain.Double, double((i, _) => (i / 300) * 7.5)),
    ("zigzag", Domain.Double, double((i, _) => (i % 100) - 50.0)),
    ("rising", Domain.Int, (i, _) => i.toLong),
    ("greatest", Domain.Double, double((_, r) => (if (r.nextBoolean()) 1 else -1) * Double.MaxValue)),
    ("large", Domain.Double, double((_, r) => 1e300 * r.nextDouble())),
    ("tiny", Domain.Double, double((_, r) => Double.MinPositiveValue * r.nextInt(100))),
    ("small squares", Domain.Double, double((_, r) => 1e-160 * normal(r))),
    ("of all sizes", Domain.Double, double((_, r) => math.exp(1000 * (r.nextDouble() - 0.5)))),
    ("outliers", Domain.Double, double((i, r) => if (i % 97 == 5) 1e12 else normal(r))),
    ("an outlier each time", Domain.Double, double((i, _) => math.pow(2, (i % 1000).toDouble - 500))),
    (
      "not finite",
      Domain.Double,
      double((i, r) =>
        if (i % 211 == 7) Double.NaN
        else if (i % 397 == 11) Double.NegativeInfinity
        else if (i % 601 == 3) Double.PositiveInfinity
        else normal(r)
      )
    ),
    ("halves", Domain.Float, double((_, r) => (r.nextInt(1000) / 8f).toDouble))
  )

  /** The slow twin of [[MomentBuckets]]: it estimates nothing. */
  private object WithoutEstimates extends BucketPolicy {
    def join(buckets: BucketList, block: RowBlock, domain: Domain, epsilon: Double): BucketList =
      new MomentsJoining(buckets, block, domain, Allowance(epsilon), Int.MaxValue).result()
    def union(domain: Domain, epsilon: Double): (AnyRef, AnyRef) => AnyRef =
      MomentBuckets.union(domain, epsilon)
  }

  private def fieldsOf(list: BucketList): Seq[Any] = (0 until list.size).map { i =>
    val sums = list.contents(i) match {
      case s: Sums =>
        Seq(s.positiveLow, s.positiveHigh, s.negativeLow, s.negativeHigh, s.anchor, s.distanceLow) ++
          Seq(s.distanceHigh, s.squareLow, s.squareHigh, s.specials.toDouble, s.count.toDouble)
      case _ => Nil
    }
    (
      list.times(i),
      list.ties(i),
      list.level(i),
      list.counts(i),
      sums.map(java.lang.Double.doubleToRawLongBits)
    )
  }

  test("cells that estimates refuse are those that certain sums refuse") {
    for ((kind, domain, value) <- kinds; (name, time) <- Rows.times; epsilon <- Seq(0.01, 0.2)) {
      val n = 6000
      val random = new SplittableRandom(n.toLong)
      val fast = new Buckets(domain, epsilon, MomentBuckets)
      val slow = new Buckets(domain, epsilon, WithoutEstimates)
      (0 until n).foreach { i =>
        val (key, at) = (value(i, random), time(i, n, random))
        Seq(fast, slow).foreach(buckets => if (buckets.insert(at, key)) buckets.makeRoom())
      }
      assertEquals(fieldsOf(fast.list), fieldsOf(slow.list), s"$kind, $name, ε $epsilon")
    }
  }

  private val spans = Seq(1L, 2L, 3L, 7L, 20L, 55L, 130L, 400L, 1000L, 2500L, 9000L, 30000L, 1000000L)

  /** The exact moments of windows of some rows, computed once for all sketches of them. */
  private final class Truth(rows: IndexedSeq[Row], domain: Domain) {
    private val known = mutable.HashMap.empty[(Constraint, Option[Long]), MomentsOracle]

    def of(constraint: Constraint, asOf: Option[Long]): MomentsOracle = known.getOrElseUpdate(
      (constraint, asOf),
      MomentsOracle.of(Rows.selected(rows, constraint, asOf).map(_.key), domain)
    )
  }

  private def checked(
      what: String,
      s: WindowMoments,
      truth: Truth,
      constraint: Constraint,
      isPromised: Boolean,
      asOf: Option[Long] = None
  ): Unit = {
    val window = s.restrict(constraint, asOf)
    val oracle = truth.of(constraint, asOf)
    val again = Families.open(Envelope.seal(window)).asInstanceOf[RestrictedMoments]
    Moment.all.foreach { moment =>
      val found = window.momentBounds(moment)
      val problems = oracle.violations(moment, found) ++
        (if (isPromised) oracle.errors(moment, found, s.epsilon) else Nil)
      assertEquals(problems, Nil, s"$what, $constraint, as of $asOf")
      assertEquals(again.momentBounds(moment).toString, found.toString, what)
    }
    val (low, high) = window.countBounds
    assert(low <= oracle.count && oracle.count <= high, what)
  }

  private def roundTrip(s: WindowMoments): WindowMoments = {
    val bytes = Envelope.seal(s)
    val again = Families.open(bytes).asInstanceOf[WindowMoments]
    assert(Envelope.seal(again).sameElements(bytes))
    again
  }

  for (((kind, domain, value), i) <- kinds.zipWithIndex)
    test(s"$kind: every window, in any order of time, merged or not") {
      val r = new SplittableRandom(kind.hashCode.toLong)
      // every two of kind, order and ε together
      for (((order, time), j) <- Rows.times.zipWithIndex; epsilon <- Cases.turn(i + j, Seq(0.3, 0.05))) {
        val n = 1500
        val rows = Seq.tabulate(n)(i => Row(value(i, r), time(i, n, r), 0))
        val sorted = Rows.sorted(rows)
        val truth = new Truth(sorted, domain)
        val s = sketch(domain, epsilon)
        rows.foreach(row => s.insert(row.key, row.time, 0))
        val parts = Seq.fill(5)(sketch(domain, epsilon))
        rows.zipWithIndex.foreach { case (row, i) =>
          parts(if (i % 10 == 0) 4 else i % 3).insert(row.key, row.time, 0)
        }
        parts(1).merge(parts(3))
        parts(2).merge(parts(4))
        parts(0).merge(parts(1))
        parts(0).count
        parts(2).merge(parts(0))
        val unit = if (order == "one time") 1L else 10L
        val all = if (order == "every long") Seq(Long.MaxValue, Long.MaxValue / 3) else spans.map(_ * unit)
        for ((form, sketch) <- Seq("whole" -> s, "stored" -> roundTrip(s), "merged" -> parts(2))) {
          val what = s"$kind, $order, ε $epsilon, $form"
          val some = if (form == "stored") all.take(4) else all
          some.foreach(span => checked(what, sketch, truth, WithinLast(span), isPromised = true))
          val isInOrder = order == "in order" && form == "whole"
          Seq(1L, 2L, 9L, 100L, 777L, 1499L, 5000L).foreach { count =>
            checked(what, sketch, truth, AmongLast(count), isPromised = isInOrder)
          }
          val earlier = Some(sorted(n / 2).time)
          checked(what, sketch, truth, WithinLast(all(all.size / 2)), isPromised = false, earlier)
          checked(what, sketch, truth, AmongLast(50), isPromised = false, earlier)
        }
      }
    }

  test("a window counts the classes of its filters together") {
    val r = new SplittableRandom(3)
    val rows = Seq.tabulate(4000)(i => Row(DoubleKeys.key(math.exp(r.nextGaussian())), i * 10L, r.nextInt(4)))
    val s = sketch(Domain.Double, 0.1, filters = 2)
    rows.foreach(row => s.insert(row.key, row.time, row.passed))
    val truth = new Truth(Rows.sorted(rows), s.domain)
    spans.foreach { span =>
      val windows = Seq(
        And(WithinLast(span * 10), Passes(0)),
        And(WithinLast(span * 10), Not(Passes(1))),
        Or(WithinLast(span * 10), And(Passes(0), WithinLast(span * 40)))
      )
      windows.foreach(checked("filters", s, truth, _, isPromised = true))
      checked("filters", s, truth, And(AmongLast(span), Passes(1)), isPromised = false)
    }
  }

  test("inserting copies equals inserting as many rows") {
    val r = new SplittableRandom(4)
    val s = sketch(Domain.BigInt, 0.1)
    val rows = Seq.tabulate(300)(i => (r.nextLong(1000L), i * 10L, 1 + r.nextLong(40L)))
    rows.foreach { case (key, time, copies) => s.insert(key, time, 0, copies) }
    val all = rows.flatMap { case (key, time, copies) => Seq.fill(copies.toInt)(Row(key, time, 0)) }
    val truth = new Truth(Rows.sorted(all), s.domain)
    spans.foreach(span => checked("copies", s, truth, WithinLast(span * 10), isPromised = true))
    val huge = sketch(Domain.BigInt, 0.1)
    huge.insert(7L, 1L, 0, Long.MaxValue - 10)
    huge.insert(9L, 2L, 0, 3L)
    val oracle = new MomentsOracle(Seq(7L -> (Long.MaxValue - 10), 9L -> 3L), Domain.BigInt)
    Moment.all.foreach(m => assertEquals(oracle.violations(m, huge.momentBounds(m)), Nil))
  }

  test("the greatest double does not make a sketch store all older rows") {
    val s = sketch(Domain.Double, 0.05)
    val r = new SplittableRandom(5)
    (1 to 50000).foreach(i => s.insert(DoubleKeys.key(r.nextGaussian()), i.toLong, 0))
    s.insert(DoubleKeys.key(Double.MaxValue), 50001L, 0)
    (50002 to 100000).foreach(i => s.insert(DoubleKeys.key(r.nextGaussian()), i.toLong, 0))
    assert(s.buckets < 2500, s"${s.buckets}")
  }

  test("whole numbers are exact if no bucket is cut") {
    val s = sketch(Domain.Int, 0.01)
    (1 to 100).foreach(i => s.insert(i.toLong, i.toLong, 0))
    def bounds(moment: Moment) = s.restrict(WithinLast(10), None).momentBounds(moment).get
    assertEquals(bounds(Moment.Sum).toString, "MomentBounds(955.0,955.0,955.0)")
    assertEquals(bounds(Moment.Mean).toString, "MomentBounds(95.5,95.5,95.5)")
    assertEquals(bounds(Moment.VariancePop).toString, "MomentBounds(8.25,8.25,8.25)")
    assertEquals(s.moment(Moment.Sum), Some(5050.0))
    assertEquals(s.moment(Moment.Variance), Some(841.6666666666666))
  }
}
