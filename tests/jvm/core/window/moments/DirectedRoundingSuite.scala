package chronosketch.window.moments

import java.math.{BigDecimal => Exact}

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}

/** Compares directed rounding with exact decimals, near all limits of doubles. */
class DirectedRoundingSuite extends CheckSuite {
  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(20000))

  private val any: Gen[Double] =
    Gen.long.map(java.lang.Double.longBitsToDouble).retryUntil(v => java.lang.Double.isFinite(v))
  private val number: Gen[Double] = Gen.oneOf(
    any,
    any.map(v => v / (1L << 40)),
    Gen.choose(-1000L, 1000L).map(_.toDouble),
    Gen.choose(-1e18, 1e18),
    Gen.oneOf(0.0, Double.MinPositiveValue, Double.MaxValue, -Double.MaxValue, 1.0, 0.1)
  )

  private def isBelow(bound: Double, exact: Exact): Boolean =
    bound == Double.NegativeInfinity || (bound <= Double.MaxValue && new Exact(bound).compareTo(exact) <= 0)
  private def isAbove(bound: Double, exact: Exact): Boolean =
    bound == Double.PositiveInfinity || (bound >= -Double.MaxValue && new Exact(bound).compareTo(exact) >= 0)

  /** Checks that the exact result lies between the bounds, which differ by at most one rounding unless there is an underflow. */
  private def check(exact: Exact, down: Double, up: Double): Unit = {
    assert(isBelow(down, exact) && isAbove(up, exact), s"$down $exact $up")
    if (math.abs(down) > 1e-250 && math.abs(up) < 1e300)
      assert(up <= Math.nextUp(down), s"$down $exact $up")
  }

  property("sums and products") {
    forAll(number, number) { (a, b) =>
      check(new Exact(a).add(new Exact(b)), DirectedRounding.addDown(a, b), DirectedRounding.addUp(a, b))
      check(new Exact(a).multiply(new Exact(b)), DirectedRounding.mulDown(a, b), DirectedRounding.mulUp(a, b))
    }
  }

  /** The simple twin: rounds by a branch, as the definition of an error-free sum and product says. */
  private object Branching {
    private def error(a: Double, b: Double, sum: Double) = {
      val other = sum - a
      (a - (sum - other)) + (b - other)
    }
    def addDown(a: Double, b: Double): Double =
      if (error(a, b, a + b) >= 0) a + b else Math.nextDown(a + b)
    def addUp(a: Double, b: Double): Double = if (error(a, b, a + b) <= 0) a + b else Math.nextUp(a + b)
    def mulDown(a: Double, b: Double): Double =
      if (Math.fma(a, b, -(a * b)) >= 0) a * b else Math.nextDown(a * b)
    def mulUp(a: Double, b: Double): Double =
      if (Math.fma(a, b, -(a * b)) <= 0) a * b else Math.nextUp(a * b)
  }

  private def assertSameBits(found: Double, expected: Double, what: => String): Unit =
    assertEquals(
      java.lang.Double.doubleToRawLongBits(found),
      java.lang.Double.doubleToRawLongBits(expected),
      what
    )

  property("sums and products have the bits of those that branch") {
    forAll(number, Gen.oneOf(number, Gen.oneOf(0.0, -0.0, 1.0 / 3, -1e-16))) { (x, y) =>
      for ((a, b) <- Seq((x, y), (y, x), (x, -y), (x, -x))) {
        if (math.abs(a + b) <= Double.MaxValue) {
          assertSameBits(DirectedRounding.addDown(a, b), Branching.addDown(a, b), s"$a + $b down")
          assertSameBits(DirectedRounding.addUp(a, b), Branching.addUp(a, b), s"$a + $b up")
        }
        if (math.abs(a * b) <= Double.MaxValue && math.abs(a * b) >= math.scalb(1.0, -900)) {
          assertSameBits(DirectedRounding.mulDown(a, b), Branching.mulDown(a, b), s"$a * $b down")
          assertSameBits(DirectedRounding.mulUp(a, b), Branching.mulUp(a, b), s"$a * $b up")
        }
      }
    }
  }

  property("rounded quotients enclose the exact ones, by their products") {
    forAll(number, number.map(math.abs).retryUntil(_ > 0)) { (a, b) =>
      val (down, up) = (DirectedRounding.divDown(a, b), DirectedRounding.divUp(a, b))
      def product(q: Double) = new Exact(q).multiply(new Exact(b))
      assert(
        down == Double.NegativeInfinity || product(down).compareTo(new Exact(a)) <= 0,
        s"$down of $a / $b"
      )
      assert(up == Double.PositiveInfinity || product(up).compareTo(new Exact(a)) >= 0, s"$up of $a / $b")
    }
  }

  property("rounded roots enclose the exact ones, by their squares") {
    forAll(number.map(math.abs)) { a =>
      val (down, up) = (DirectedRounding.rootDown(a), DirectedRounding.rootUp(a))
      assert(new Exact(down).pow(2).compareTo(new Exact(a)) <= 0, s"$down of $a")
      assert(new Exact(up).pow(2).compareTo(new Exact(a)) >= 0, s"$up of $a")
    }
  }
}
