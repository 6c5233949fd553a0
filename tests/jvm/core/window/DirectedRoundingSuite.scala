package chronosketch.window.moments

import java.math.{BigDecimal => Exact}

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.Cases

/** Directed arithmetic against exact decimals, at all ends of what doubles hold. */
class DirectedSuite extends munit.ScalaCheckSuite {
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

  /** Between the bounds, which are no further apart than rounding once makes them, where nothing vanishes. */
  private def check(exact: Exact, down: Double, up: Double): Unit = {
    assert(isBelow(down, exact) && isAbove(up, exact), s"$down $exact $up")
    if (math.abs(down) > 1e-250 && math.abs(up) < 1e300)
      assert(up <= Math.nextUp(down), s"$down $exact $up")
  }

  property("sums and products") {
    forAll(number, number) { (a, b) =>
      check(new Exact(a).add(new Exact(b)), Directed.addDown(a, b), Directed.addUp(a, b))
      check(new Exact(a).multiply(new Exact(b)), Directed.mulDown(a, b), Directed.mulUp(a, b))
    }
  }

  property("quotients, held to their products") {
    forAll(number, number.map(math.abs).retryUntil(_ > 0)) { (a, b) =>
      val (down, up) = (Directed.divDown(a, b), Directed.divUp(a, b))
      def product(q: Double) = new Exact(q).multiply(new Exact(b))
      assert(
        down == Double.NegativeInfinity || product(down).compareTo(new Exact(a)) <= 0,
        s"$down of $a / $b"
      )
      assert(up == Double.PositiveInfinity || product(up).compareTo(new Exact(a)) >= 0, s"$up of $a / $b")
    }
  }

  property("roots, held to their squares") {
    forAll(number.map(math.abs)) { a =>
      val (down, up) = (Directed.rootDown(a), Directed.rootUp(a))
      assert(new Exact(down).pow(2).compareTo(new Exact(a)) <= 0, s"$down of $a")
      assert(new Exact(up).pow(2).compareTo(new Exact(a)) >= 0, s"$up of $a")
    }
  }
}
