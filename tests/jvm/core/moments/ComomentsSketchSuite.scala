package chronosketch.moments

import java.math.{BigDecimal => Exact}

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.codec.Stored
import chronosketch.domain.{Domain, DomainGen, DoubleKeys}
import chronosketch.families.Families
import chronosketch.sliding.moments.{Answers, CrossStatistic}
import chronosketch.summary.Envelope

class ComomentsSketchSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(100))

  private def sketch(y: Domain, x: Domain, pairs: Iterable[(Long, Long)]): ComomentsSketch = {
    val s = ComomentsRecipe(y, x).empty
    pairs.foreach { case (a, b) => s.insertPair(a, b) }
    s
  }

  private def doubles(pairs: (Double, Double)*): ComomentsSketch =
    sketch(Domain.Double, Domain.Double, pairs.map { case (y, x) => (DoubleKeys.key(y), DoubleKeys.key(x)) })

  private def bytes(s: ComomentsSketch): Seq[Byte] = Envelope.seal(s).toSeq

  private val whole = Gen.oneOf(DomainGen.numeric.filterNot(_.isFloating))

  property(
    "whole numbers: the same bytes in whatever order and parts, counted or not; the quotients of whole numbers"
  ) {
    val rows = for {
      y <- whole
      x <- whole
      n <- Gen.choose(0, 600)
      pairs <- Gen.listOfN(n, Gen.zip(DomainGen.value(y), DomainGen.value(x)))
    } yield (y, x, pairs)
    forAllNoShrink(rows, Gen.choose(1, 7), Gen.long) { case ((y, x, pairs), parts, seed) =>
      val shuffled = new scala.util.Random(seed).shuffle(pairs)
      val union = ComomentsRecipe(y, x).empty
      shuffled.zipWithIndex.groupMap(_._2 % parts)(_._1).toSeq.sortBy(_._1).foreach { case (part, some) =>
        val s = sketch(y, x, some)
        union.merge(if (part % 2 == 0) s else Families.open(Envelope.seal(s)))
      }
      assertEquals(bytes(union), bytes(sketch(y, x, pairs)))
      val counted = ComomentsRecipe(y, x).empty
      pairs.groupMapReduce(identity)(_ => 1L)(_ + _).foreach { case ((a, b), n) =>
        counted.insertPair(a, b, n)
      }
      assertEquals(bytes(counted), bytes(union))
      if (pairs.nonEmpty) {
        val (ys, xs) = (
          new Oracle(pairs.map(p => Exact.valueOf(p._1, y.second) -> 1L)),
          new Oracle(pairs.map(p => Exact.valueOf(p._2, x.second) -> 1L))
        )
        val covariance = ys.product(xs).divide(ys.n, Oracle.context)
        assertEqualsDouble(union.covarPop.get, covariance.doubleValue, math.ulp(covariance.doubleValue))
        assertEquals(union.sumX, Some(xs.sum.doubleValue))
        union.corr.foreach { r =>
          assert(math.abs(r) <= 1)
          assertEqualsDouble(union.r2.get, r * r, 1e-15)
        }
      }
    }
  }

  private val columns: Gen[Seq[(Double, Double)]] = for {
    n <- Gen.oneOf(1, 2, 3, 255, 256, 257, 1000)
    seed <- Gen.long
    shape <- Gen.choose(0, 4)
  } yield {
    val r = new java.util.Random(seed)
    Seq.fill(n) {
      val x = r.nextGaussian()
      shape match {
        case 0 => (x + r.nextGaussian(), x)
        case 1 => (1e9 + x, 1e9 - x / 3)
        case 2 => (r.nextDouble(), 1e15 + r.nextInt(1000) / 8.0)
        case 3 => (math.exp(3 * x), if (r.nextInt(300) == 0) 1e9 else x)
        case _ => (0.1, x)
      }
    }
  }

  property("doubles: within the card, whole and in parts; a with b is b with a, to the bit") {
    forAllNoShrink(columns, columns, Gen.choose(1, 20)) { (a, b, parts) =>
      val all = a ++ b
      val (y, x) = (Oracle.of(all.map(_._1)), Oracle.of(all.map(_._2)))
      def check(s: ComomentsSketch, k: Long): Unit = {
        val share = Oracle.factor(2, k)
        val spread = share.multiply(y.range).multiply(x.range)
        assert(Oracle.isNear(s.covarPop.get, y.product(x).divide(y.n, Oracle.context), spread))
        for ((found, of) <- Seq(s.squaresY.get -> y, s.squaresX.get -> x))
          assert(Oracle.isNear(found, of.moment(2), of.moment(2).multiply(share)), s"$found")
        for ((found, of) <- Seq(s.meanY.get -> y, s.meanX.get -> x))
          assert(
            Oracle.isNear(found, of.mean, of.mean.abs.multiply(Oracle.u).add(new Exact(1e-25))),
            s"$found"
          )
      }
      check(doubles(all: _*), 8)
      val union = doubles()
      all.grouped(parts).foreach(some => union.merge(doubles(some: _*)))
      check(union, all.size / parts + 1L)
      val (ab, ba) = (doubles(a: _*), doubles(b: _*))
      ab.merge(doubles(b: _*))
      ba.merge(doubles(a: _*))
      assertEquals(bytes(ab), bytes(ba))
      assertEquals(Envelope.seal(Families.open(Envelope.seal(ab))).toSeq, bytes(ab))
    }
  }

  test("answers equal Spark's, and are missing for the same reasons") {
    import CrossStatistic._
    val pairs = Seq((1L, 2L), (2L, 3L), (3L, 5L))
    val all = Seq(
      sketch(Domain.Int, Domain.Int, pairs),
      sketch(Domain.Int, Domain.Double, pairs.map(p => (p._1, DoubleKeys.key(p._2.toDouble)))),
      sketch(Domain.decimal(5, 2), Domain.Float, pairs.map(p => (100 * p._1, DoubleKeys.key(p._2.toDouble)))),
      doubles(pairs.map(p => (p._1.toDouble, p._2.toDouble)): _*)
    )
    all.foreach { s =>
      assertEqualsDouble(s.covarSamp.get, 1.5, 1e-15)
      assertEqualsDouble(s.corr.get, 0.9819805060619659, 1e-15)
      assertEqualsDouble(s.slope.get, 0.6428571428571429, 1e-15)
      assertEqualsDouble(s.intercept.get, -0.14285714285714285, 1e-15)
      assertEqualsDouble(s.r2.get, 0.9642857142857143, 1e-15)
    }
    def outcomes(s: ComomentsSketch): Seq[Int] =
      Seq(CovarPop, CovarSamp, Corr, RegrSlope, RegrIntercept, RegrR2).map(s.answer(_).outcome)
    import Answers._
    for (x <- Seq(Domain.Int, Domain.Double)) {
      def key(value: Double): Long = if (x == Domain.Int) value.toLong else DoubleKeys.key(value)
      def of(pairs: (Double, Double)*): ComomentsSketch = sketch(x, x, pairs.map(p => (key(p._1), key(p._2))))
      assertEquals(outcomes(of()), Seq.fill(6)(Null))
      assertEquals(outcomes(of((1, 2))), Seq(Value, Undefined, Undefined, Null, Null, Null))
      assertEquals(outcomes(of((1, 2), (3, 2))), Seq(Value, Value, DivisionByZero, Null, Null, Null))
      assertEquals(outcomes(of((1, 2), (1, 3))), Seq(Value, Value, DivisionByZero, Value, Value, Value))
      assertEquals(of((1, 2), (1, 3)).r2, Some(1.0))
    }
    val nan = doubles((Double.NaN, 1), (2, 2))
    assert(nan.covarPop.exists(_.isNaN) && nan.meanY.exists(_.isNaN))
    assertEquals((nan.meanX, nan.squaresX), (Some(1.5), Some(0.5)))
    assertEquals(outcomes(doubles((Double.NaN, 1))).drop(3), Seq(Null, Null, Null))
  }

  test("a merge with an x of another, not widening type is rejected and changes nothing") {
    val s = sketch(Domain.Int, Domain.Int, Seq((1L, 2L)))
    val before = bytes(s)
    val refusal = intercept[Refusal](s.merge(doubles()))
    assertEquals(refusal.condition, "CHRONOSKETCH_VALUE_TYPES_DIFFER")
    intercept[Refusal](s.merge(sketch(Domain.Int, Domain.decimal(5, 2), Nil)))
    assertEquals(bytes(s), before)
    s.merge(sketch(Domain.Int, Domain.BigInt, Seq((5L, 1L << 40))))
    assertEquals((s.xDomain, s.sumX), (Domain.BigInt, Some(((1L << 40) + 2).toDouble)))
  }

  test("bytes with impossible sums of pairs are rejected") {
    val whole = Envelope.seal(doubles((1, 2), (2, 3), (3, 5)))
    def forged(fromEnd: Int, value: Double): String = {
      val other = whole.clone()
      java.nio.ByteBuffer.wrap(other).putDouble(other.length - 4 - 8 * fromEnd, value)
      intercept[Refusal](Families.open(Stored.reseal(other))).getMessage
    }
    for (
      (place, values) <- Seq(
        1 -> Seq(Double.NaN, 1e9, Double.PositiveInfinity),
        2 -> Seq(Double.NaN, -1.0, 0.0, 1e9),
        3 -> Seq(Double.NaN, 1.0),
        4 -> Seq(Double.NaN, 0.0)
      ); value <- values
    )
      assert(forged(place, value).startsWith("[CHRONOSKETCH_CORRUPT_SKETCH]"), s"$place $value")
    val ofWhole = Envelope.seal(sketch(Domain.Int, Domain.Int, Seq((1L, 2L), (2L, 3L), (3L, 5L))))
    // the last sum is that of the products: 23. The squares do not allow 60
    val other = ofWhole.clone()
    other(other.length - 5) = 60
    intercept[Refusal](Families.open(Stored.reseal(other)))
    // the payload begins with the type of x
    val date = ofWhole.clone()
    date(14) = Domain.Date.kind.id.toByte
    intercept[Refusal](Families.open(Stored.reseal(date)))
  }

  test("a correlation is the same in any unit, and always between -1 and 1") {
    for (unit <- Seq(1e-150, 1e-60, 1.0, 1e100, 1e150)) {
      val s = ComomentsRecipe(Domain.Double, Domain.Double).empty
      Seq(1.0 -> 1.0, 2.0 -> 2.0, 3.0 -> 3.0).foreach { case (y, x) =>
        s.insertPair(DoubleKeys.key(y * unit), DoubleKeys.key(x))
      }
      assertEquals((s.corr, s.r2), (Some(1.0), Some(1.0)), s"$unit")
    }
    val two = ComomentsRecipe(Domain.Double, Domain.Double).empty
    Seq(35650.94278548795 -> 0.5705819603369736, 2.9857273089160797e-06 -> 0.019114014811706048).foreach {
      case (y, x) => two.insertPair(DoubleKeys.key(y), DoubleKeys.key(x))
    }
    assertEquals((two.corr, two.r2), (Some(1.0), Some(1.0)))
  }
}
