package chronosketch.window.moments

import java.math.{BigDecimal => Exact}

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.domain.DoubleKeys

/** Compares sums of many rows at once with exact decimals, and with the sums of the same rows one by one. */
class SumsSuite extends CheckSuite {
  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(5000))

  private val any: Gen[Double] = Gen.long.map(java.lang.Double.longBitsToDouble)
  private val special: Gen[Double] = Gen.oneOf(
    0.0,
    -0.0,
    Double.MinPositiveValue,
    Double.MaxValue,
    Double.NaN,
    Double.PositiveInfinity,
    math.scalb(1.0, 480),
    -math.scalb(1.0, -450)
  )
  private val kinds: Gen[Gen[Double]] = Gen.oneOf(
    Gen.choose(-1000L, 1000L).map(_.toDouble),
    Gen.choose(-1.0, 1.0),
    Gen.choose(-1.0, 1.0).map(v => 1e9 + 1e-6 * v),
    Gen.choose(-700.0, 330.0).map(math.exp),
    Gen.choose(-475.0, 475.0).map(e => math.pow(2, e) * math.signum(e)),
    Gen.choose(-1.0, 1.0).map(_ * math.scalb(1.0, -440)),
    any,
    Gen.frequency(9 -> Gen.choose(-1.0, 1.0), 1 -> special)
  )
  private val doubles: Gen[(Array[Double], Double)] = for {
    kind <- kinds
    values <- Gen.choose(0, 60).flatMap(Gen.listOfN(_, kind))
    near <- kind
    anchor <- Gen.oneOf(0.0, near, 1e9, values.headOption.getOrElse(0.0))
  } yield (values.toArray, if (java.lang.Double.isFinite(anchor)) anchor else 0.0)
  private val longs: Gen[(Array[Long], Double)] = for {
    kind <- Gen.oneOf(
      Gen.choose(-50L, 50L),
      Gen.choose((1L << 53) - 3, (1L << 53) + 3),
      Gen.choose(-(1L << 53) - 3, -(1L << 53) + 3),
      Gen.long
    )
    values <- Gen.choose(0, 60).flatMap(Gen.listOfN(_, kind))
    anchor <- Gen.oneOf(0.0, 7.0, values.headOption.fold(0.0)(_.toDouble))
  } yield (values.toArray, anchor)

  private def sums(anchor: Double): Sums = {
    val s = new Sums
    s.anchor = anchor
    s
  }

  private def isWithin(low: Double, exact: Exact, high: Double): Boolean =
    (low == Double.NegativeInfinity || new Exact(low).compareTo(exact) <= 0) &&
      (high == Double.PositiveInfinity || new Exact(high).compareTo(exact) >= 0)

  private def fields(s: Sums): Seq[(String, Double, Double)] = Seq(
    ("positive", s.positiveLow, s.positiveHigh),
    ("negative", s.negativeLow, s.negativeHigh),
    ("distances", s.distanceLow, s.distanceHigh),
    ("squares", s.squareLow, s.squareHigh)
  )

  /** Checks the sums of rows that were added at once twice. They may not be wider than those of rows one by one, but for two roundings of
    * each addition.
    */
  private def check(keys: Array[Long], anchor: Double, isFloating: Boolean, exact: Seq[Exact]): Boolean = {
    val s = sums(anchor)
    val areAdded = s.addRows(keys, 0, keys.length, isFloating)
    val found = fields(s)
    if (!areAdded) found.foreach { case (name, low, high) => assert(low == 0 && high == 0, s"$name of none") }
    else {
      assert(s.addRows(keys, 0, keys.length, isFloating))
      assertEquals(s.count, 2L * keys.length)
      val center = new Exact(anchor)
      val distances = exact.map(_.subtract(center))
      def sum(of: Seq[Exact]): Exact = of.foldLeft(Exact.ZERO)(_.add(_))
      val right = Seq(
        sum(exact.filter(_.signum > 0)),
        sum(exact.filter(_.signum < 0)).negate,
        sum(distances),
        sum(distances.map(d => d.multiply(d)))
      )
      val slow = sums(anchor)
      keys.foreach { key =>
        val high = Sums.high(key, isFloating)
        slow.addNear(high, Sums.low(key, high, isFloating), 1L)
      }
      for ((((name, low, high), truth), (_, slowLow, slowHigh)) <- found.zip(right).zip(fields(slow))) {
        assert(isWithin(low, truth, high), s"$name [$low, $high] of $truth")
        val most = (slowHigh - slowLow) + 4 * math.max(math.ulp(low), math.ulp(high))
        assert(high - low <= most, s"$name [$low, $high], one by one [$slowLow, $slowHigh]")
      }
      for (((name, low, high), truth) <- fields(s).zip(right))
        assert(isWithin(low, truth.multiply(new Exact(2)), high), s"twice the $name [$low, $high] of $truth")
    }
    areAdded
  }

  property("doubles") {
    forAll(doubles) { case (values, anchor) =>
      def isModerate(v: Double) = math.abs(v) <= math.scalb(1.0, 480)
      val areFinite = values.forall(java.lang.Double.isFinite)
      val keys = values.map(DoubleKeys.key)
      val areAdded =
        check(keys, anchor, isFloating = true, if (areFinite) values.toSeq.map(new Exact(_)) else Nil)
      if (!values.forall(isModerate)) assert(!areAdded)
    }
  }

  property("whole numbers: exact below 2⁵³") {
    forAll(longs) { case (keys, anchor) =>
      val areAdded = check(keys, anchor, isFloating = false, keys.toSeq.map(Exact.valueOf(_)))
      assertEquals(areAdded, keys.forall(k => math.abs(k) < (1L << 53) && k != Long.MinValue) || keys.isEmpty)
      if (keys.forall(math.abs(_) <= 50) && math.abs(anchor) <= 50) {
        val s = sums(anchor)
        s.addRows(keys, 0, keys.length, isFloating = false)
        fields(s).foreach { case (name, low, high) => assertEquals(low, high, name) }
      }
    }
  }

  test("a million rows: a rounding wide") {
    val values = Array.tabulate(1000000)(i => 0.1 + (i % 7) * 1e-3)
    val s = sums(0.1)
    assert(s.addRows(values.map(DoubleKeys.key), 0, values.length, isFloating = true))
    val exact = values.foldLeft(Exact.ZERO)((a, v) => a.add(new Exact(v)))
    assert(isWithin(s.positiveLow, exact, s.positiveHigh))
    assert(
      s.positiveHigh - s.positiveLow <= 4 * math.ulp(s.positiveHigh),
      s"${s.positiveLow} ${s.positiveHigh}"
    )
  }

  test("rows that are not finite are left to others, whatever came before") {
    val s = sums(0.0)
    s.markSpecial(Sums.NaN)
    assert(!s.addRows(Array(DoubleKeys.key(1.0)), 0, 1, isFloating = true))
  }
}
