package chronosketch.moments

import java.math.{BigDecimal => Exact}

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.codec.Stored
import chronosketch.domain.{Domain, DomainGen, DoubleKeys}
import chronosketch.families.Families
import chronosketch.memory.Meter
import chronosketch.sliding.moments.{Answers, Statistic}
import chronosketch.summary.Envelope

class MomentsSketchSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(100))

  private def sketch(domain: Domain, keys: Iterable[Long]): MomentsSketch = {
    val s = MomentsRecipe(domain).empty
    keys.foreach(s.insert(_))
    s
  }

  private def doubles(values: Double*): MomentsSketch = sketch(Domain.Double, values.map(DoubleKeys.key))

  private def bytes(s: MomentsSketch): Seq[Byte] = Envelope.seal(s).toSeq

  private val whole = DomainGen.numeric.filterNot(_.isFloating)

  property(
    "whole numbers: the same bytes in whatever order and parts, stored between or not, counted or not"
  ) {
    val rows = for {
      domain <- Gen.oneOf(whole)
      n <- Gen.choose(0, 900)
      keys <- Gen.listOfN(n, DomainGen.value(domain))
    } yield (domain, keys)
    forAllNoShrink(rows, Gen.choose(1, 7), Gen.long) { case ((domain, keys), parts, seed) =>
      val shuffled = new scala.util.Random(seed).shuffle(keys)
      val union = MomentsRecipe(domain).empty
      shuffled.zipWithIndex.groupMap(_._2 % parts)(_._1).toSeq.sortBy(_._1).foreach { case (part, some) =>
        val s = sketch(domain, some)
        union.merge(if (part % 2 == 0) s else Families.open(Envelope.seal(s)))
      }
      assertEquals(bytes(union), bytes(sketch(domain, keys)))
      val counted = MomentsRecipe(domain).empty
      keys.groupMapReduce(identity)(_ => 1L)(_ + _).foreach { case (key, n) => counted.insert(key, n) }
      assertEquals(bytes(counted), bytes(union))
      val atOnce = MomentsRecipe(domain).empty
      atOnce.insertAll(keys.toArray, 0, keys.size)
      assertEquals(bytes(atOnce), bytes(union))
    }
  }

  private val columns: Gen[Seq[Double]] = for {
    n <- Gen.oneOf(1, 2, 3, 255, 256, 257, 1000)
    seed <- Gen.long
    shape <- Gen.choose(0, 6)
  } yield {
    val r = new java.util.Random(seed)
    Seq.fill(n)(shape match {
      case 0 => r.nextGaussian()
      case 1 => 1e9 + r.nextDouble()
      case 2 => 1e15 + r.nextInt(1000) / 8.0
      case 3 => math.exp(3 * r.nextGaussian())
      case 4 => if (r.nextInt(300) == 0) 1e9 else r.nextDouble()
      case 5 => (r.nextDouble() - 0.3) * 1e-30
      case _ => 0.1
    })
  }

  property("doubles: within the card, whole and in parts; a with b is b with a, to the bit") {
    forAllNoShrink(columns, columns, Gen.choose(1, 20)) { (a, b, parts) =>
      val oracle = Oracle.of(a ++ b)
      val one = doubles(a ++ b: _*)
      assertEquals(MomentsLaws.ofFinite(one, oracle, 8), Nil)
      val union = doubles()
      (a ++ b).grouped(parts).foreach(some => union.merge(doubles(some: _*)))
      assertEquals(MomentsLaws.ofFinite(union, oracle, (a.size + b.size) / parts + 1L), Nil)
      val (ab, ba) = (doubles(a: _*), doubles(b: _*))
      ab.merge(doubles(b: _*))
      ba.merge(doubles(a: _*))
      assertEquals(bytes(ab), bytes(ba))
      val back = Families.open(Envelope.seal(ab))
      assertEquals(Envelope.seal(back).toSeq, bytes(ab))
    }
  }

  property("doubles: frequencies are repeated values, within the card") {
    forAllNoShrink(columns, Gen.long) { (values, seed) =>
      val r = new java.util.Random(seed)
      val rows = values.map(v => v -> (if (r.nextInt(4) == 0) 1L + r.nextLong(1L << 45) else 1L))
      val s = doubles()
      rows.foreach { case (v, n) => s.insert(DoubleKeys.key(v), n) }
      assertEquals(
        MomentsLaws.ofFinite(s, new Oracle(rows.map { case (v, n) => new Exact(v) -> n }), 6),
        Nil
      )
    }
  }

  test("a million values of 1e9 + x: every moment has twelve correct digits") {
    val r = new java.util.Random(7)
    val values = Array.fill(1000000)(1e9 + r.nextGaussian())
    val near = doubles(values.map(_ - 1e9).toSeq: _*)
    val far = doubles(values.toSeq: _*)
    Seq(Statistic.VariancePop, Statistic.Skewness, Statistic.Kurtosis).foreach { statistic =>
      assertEqualsDouble(far.answer(statistic).value, near.answer(statistic).value, 1e-12)
    }
    val exact = Oracle.fold(values.toSeq.map(new Exact(_)))
    assertEquals(far.sum, Some(exact.doubleValue))
    assertEquals(far.mean, Some(exact.divide(new Exact(1000000)).doubleValue))
  }

  test("sums of doubles are the nearest double; if a sum overflows, the mean is still known") {
    assertEquals(doubles(0.1, 0.2, 0.3).sum, Some(0.6))
    assertEquals(doubles(1e16, 1.0, -1e16).sum, Some(1.0))
    val huge = doubles(1e308, 1e308, 1e308)
    assertEquals((huge.sum, huge.mean), (Some(Double.PositiveInfinity), Some(1e308)))
    assertEquals(huge.variancePop, Some(0.0))
    val apart = doubles(Double.MaxValue, -Double.MaxValue)
    assertEquals((apart.sum, apart.mean), (Some(0.0), Some(0.0)))
    assertEquals(apart.variancePop, Some(Double.PositiveInfinity))
    apart.merge(doubles(-Double.MaxValue, Double.MaxValue))
    assertEquals(apart.mean, Some(0.0))
    assertEquals(doubles(5e-324, 5e-324).mean, Some(5e-324))
  }

  test("NaN and infinities give what adding them gives, in any order") {
    import Double.{NaN, NegativeInfinity => Down, PositiveInfinity => Up}
    val cases = Seq(
      Seq(1.0, NaN) -> NaN,
      Seq(Up, 1.0) -> Up,
      Seq(Down, 2.0, 3.0) -> Down,
      Seq(Up, Down) -> NaN,
      Seq(NaN, Down) -> NaN,
      Seq(Up) -> Up
    )
    for ((values, mean) <- cases; order <- values.permutations) {
      val parts = doubles()
      order.foreach(v => parts.merge(doubles(v)))
      Seq(doubles(order: _*), parts).foreach { s =>
        assert(s.mean.exists(java.lang.Double.compare(_, mean) == 0), s"$order: ${s.mean}")
        assert(s.variancePop.exists(_.isNaN))
        assertEquals(s.varianceSamp.isEmpty, values.size == 1)
        s.merge(doubles(7.0, 8.0))
        assert(s.mean.exists(java.lang.Double.compare(_, mean) == 0))
        assertEquals(Envelope.seal(Families.open(Envelope.seal(s))).toSeq, bytes(s))
      }
    }
  }

  test("answers equal Spark's, and are missing for the same reasons") {
    val s = sketch(Domain.Int, Seq(-10L, -20L, 100L, 1000L))
    assertEqualsDouble(s.skewness.get, 1.1135657469022011, 1e-15)
    assertEqualsDouble(s.kurtosis.get, -0.7014368047529627, 1e-15)
    val t = doubles(-10, -20, 100, 1000)
    assertEqualsDouble(t.skewness.get, 1.1135657469022011, 1e-14)
    assertEqualsDouble(t.kurtosis.get, -0.7014368047529627, 1e-14)
    Seq(sketch(Domain.BigInt, Nil), doubles()).foreach { nothing =>
      assertEquals((nothing.count, nothing.sum, nothing.mean, nothing.minimum), (0L, None, None, None))
      assertEquals(nothing.answer(Statistic.VariancePop).outcome, Answers.Null)
    }
    Seq(sketch(Domain.BigInt, Seq(3L)), doubles(3)).foreach { one =>
      assertEquals((one.variancePop, one.stddevPop), (Some(0.0), Some(0.0)))
      Seq(Statistic.VarianceSamp, Statistic.StddevSamp, Statistic.Skewness, Statistic.Kurtosis).foreach(q =>
        assertEquals(one.answer(q).outcome, Answers.Undefined)
      )
    }
    assertEquals(sketch(Domain.decimal(5, 2), Seq(125L, 250L)).exactSum, Some(new Exact("3.75")))
  }

  test("queries do not change the sketch, and its memory is reported") {
    val meter = new Meter
    val (asked, unasked) = (doubles(), doubles())
    asked.meteredBy(meter)
    (1 to 1000).foreach { i =>
      Seq(asked, unasked).foreach(_.insert(DoubleKeys.key(math.sin(i.toDouble))))
      if (i % 7 == 0) { asked.kurtosis; Envelope.seal(asked) }
    }
    assertEquals(bytes(asked), bytes(unasked))
    assert(meter.bytes > 2000 && meter.bytes < 5000, s"${meter.bytes}")
    asked.meteredBy(null)
    assertEquals(meter.bytes, 0L)
  }

  test("dates, times and intervals are not supported types") {
    DomainGen.all.foreach { d =>
      assertEquals(MomentsSketches.takes(d), d.isNumeric, d.sql)
      assertEquals(ComomentsSketches.takes(d), d.isNumeric, d.sql)
    }
  }

  /** Replaces each of the payload's last doubles by an impossible value. */
  test("impossible moments are rejected") {
    val whole = Envelope.seal(doubles(1, 2, 4, 8))
    def forged(fromEnd: Int, value: Double): String = {
      val other = whole.clone()
      java.nio.ByteBuffer.wrap(other).putDouble(other.length - 4 - 8 * fromEnd, value)
      intercept[Refusal](Families.open(Stored.reseal(other))).getMessage
    }
    val (nan, infinite) = (Double.NaN, Double.PositiveInfinity)
    // M4, M3, M2, the mean's low part, the mean
    for (
      (place, values) <- Seq(
        1 -> Seq(nan, -1.0, 0.0, 1e9, infinite),
        2 -> Seq(nan, -1e9, infinite),
        3 -> Seq(nan, -1.0, 0.0, 1e9, infinite),
        4 -> Seq(nan, 1.0, infinite),
        5 -> Seq(nan, 0.5, 8.5, infinite)
      ); value <- values
    )
      assert(forged(place, value).startsWith("[CHRONOSKETCH_CORRUPT_SKETCH]"), s"$place $value")
  }

  test("impossible sums of whole numbers are rejected") {
    def stored(n: Long, least: Long, greatest: Long, sums: Long*): Array[Byte] = {
      val w = new chronosketch.codec.Wire.Writer
      w.varint(n)
      w.zigzag(least)
      w.varint(greatest - least)
      sums.foreach(sum => WholeNumbers.write(w, java.math.BigInteger.valueOf(sum)))
      Stored.reseal(Envelope.seal(sketch(Domain.Int, Nil)).dropRight(5) ++ w.result() ++ new Array[Byte](4))
    }
    // the values 1, 2, 4: each sum is changed by one
    val right = Seq(7L, 21L, 73L, 273L)
    assertEquals(Families.open(stored(3, 1, 4, right: _*)).count, 3L)
    val wrong = right.indices.flatMap(i => Seq(-1L, 1L).map(off => right.updated(i, right(i) + off)))
    wrong.foreach(sums => intercept[Refusal](Families.open(stored(3, 1, 4, sums: _*))))
    Seq((1L, 1L, 4L), (-1L, 1L, 4L), (2L, 1L, 4L), (3L, 1L, 1L << 40)).foreach { case (n, least, greatest) =>
      intercept[Refusal](Families.open(stored(n, least, greatest, right: _*)))
    }
  }

  test("skewness and kurtosis are the same in any unit, as long as the powers are doubles") {
    for (unit <- Seq(1e-70, 1e-40, 1.0, 1e40, 9e75)) {
      val s = MomentsRecipe(Domain.Double).empty
      Seq(0.0, 0.0, 1.0).foreach(v => s.insert(DoubleKeys.key(v * unit)))
      assertEqualsDouble(s.skewness.get, math.sqrt(0.5), 1e-14, s"$unit")
      assertEqualsDouble(s.kurtosis.get, -1.5, 1e-14, s"$unit")
    }
  }

  test("the oracle gives a single value no variance, however many digits it has") {
    val value = DoubleKeys.value(8259084262276428876L)
    assertEquals(Oracle.of(Seq(value, value)).moment(2).signum, 0)
  }
}
