package chronosketch.ddsketch

import java.util.SplittableRandom

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite, Refusal}
import chronosketch.codec.Wire
import chronosketch.counted.SortedCounts
import chronosketch.domain.{Domain, DomainGen, DoubleKeys}
import chronosketch.families.Families
import chronosketch.memory.Meter
import chronosketch.rank.Phi
import chronosketch.summary.{Certificate, Envelope, ExactBag, ShareClaims}

class DDSketchSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(150))

  private val alphas = Gen.oneOf(1e-4, 1e-3, 0.01, 0.02, 0.1, 0.5)

  private def sketch(domain: Domain, alpha: Double, keys: Iterable[Long]): DDSketch = {
    val s = DDSketchRecipe(domain, alpha).empty
    keys.foreach(s.insert(_))
    s
  }

  private def doubles(alpha: Double, values: Double*): DDSketch =
    sketch(Domain.Double, alpha, values.map(DoubleKeys.key))

  private def violations(s: DDSketch, keys: Seq[Long]): Seq[String] = {
    val bag = ExactBag.of(keys.toArray)
    Certificate.unbounded(s.profile, bag) ++ RelativeError.violations(s, bag) ++
      ShareClaims.violations(s, bag)
  }

  private def shareAt(s: DDSketch, value: Double): Double =
    s.rankEstimates.cdf(s.rankEstimates.position(DoubleKeys.key(value)))

  test("the share of a value that many elements are equal to is exact if the bins beside it are empty") {
    val below = (1 to 10).map(_ * 10.0)
    val above = (1 to 24).map(_ * 1000.0)
    val tied = doubles(0.01, below ++ Seq.fill(6)(250.0) ++ above: _*)
    assertEquals(tied.profile.cdfBounds(tied.profile.position(DoubleKeys.key(250.0))), (0.25, 0.4))
    assertEquals(shareAt(tied, 250.0), 0.4)
    assertEquals(
      shareAt(doubles(0.01, below.map(-_) ++ Seq.fill(10)(-250.0) ++ above: _*), -250.0),
      10 / 44.0
    )
    // the elements of the bin of the minimum or the maximum are equal to it
    val capped = doubles(0.01, below ++ Seq.fill(30)(1000.0): _*)
    assertEquals(Seq(999.0, 1000.0).map(shareAt(capped, _)), Seq(0.25, 1.0))
    val least = doubles(0.01, Seq.fill(30)(100.0) ++ above.take(10): _*)
    assertEquals(Seq(99.9, 100.0, 100.1).map(shareAt(least, _)), Seq(0.0, 0.75, 0.75))
    // of whole numbers, the exact ones too
    val whole =
      sketch(Domain.BigInt, 0.01, Seq.fill(3)(-7L) ++ Seq.fill(5)(0L) ++ Seq.fill(12)(4000L) :+ 9000L)
    assertEquals(
      Seq(
        -7L, -1L, 0L, 3999L, 4000L, 9000L
      ).map(key => whole.rankEstimates.rank(whole.rankEstimates.position(key))),
      Seq(3L, 3L, 8L, 20L, 20L, 21L)
    )
  }

  test("the share of a value among evenly spread ones is the middle of its bounds") {
    for (domain <- Seq(Domain.Double, Domain.BigInt)) {
      def key(i: Int): Long = if (domain.isFloating) DoubleKeys.key(1 + i * 1e-3) else 1000L + i
      val s = sketch(domain, 0.02, (0 until 20000).map(key))
      (100 until 18000 by 37).foreach { i =>
        val (low, high) = s.profile.rankBounds(s.profile.position(key(i)))
        val rank = s.rankEstimates.rank(s.rankEstimates.position(key(i)))
        assertEqualsDouble(rank.toDouble, (low + high) / 2.0, 0.05 * (high - low) + 1, s"${domain.sql} $i")
      }
    }
  }

  /** Powers, subnormal numbers, neighbours, special values, and numbers of any size. */
  private val hostile: Gen[Double] = Gen.oneOf(
    Gen.choose(-1074, 1023).map(math.scalb(1.0, _)),
    Gen.choose(-323, 308).map(e => s"1e$e".toDouble),
    Gen.choose(1L, 1000L).map(java.lang.Double.longBitsToDouble),
    Gen.choose(1L, 1L << 53).map(java.lang.Double.longBitsToDouble),
    Gen.choose(0, 3).map(i => 1.0 + i * Math.ulp(1.0)),
    Gen.choose(0, 300).map(i => math.pow(1.01 / 0.99, i)),
    Gen.oneOf(0.0, -0.0, Double.NaN, Double.PositiveInfinity, Double.MaxValue, java.lang.Double.MIN_NORMAL),
    Gen.long.map(java.lang.Double.longBitsToDouble)
  )
  private val signed = Gen.zip(hostile, Gen.oneOf(1.0, -1.0)).map { case (v, sign) => v * sign }

  property("difficult doubles: every quantile is within alpha, every rank and quantile within its bounds") {
    forAllNoShrink(alphas, Gen.choose(1, 300).flatMap(Gen.listOfN(_, signed))) { (alpha, values) =>
      val keys = values.map(DoubleKeys.key)
      assertEquals(violations(sketch(Domain.Double, alpha, keys), keys), Nil)
    }
  }

  property("numbers of every type: quantiles are within alpha, and bounds are at most a bin wide") {
    val columns = for {
      domain <- Gen.oneOf(DomainGen.numeric)
      n <- Gen.choose(1, 200)
      keys <- Gen.listOfN(n, DomainGen.value(domain))
    } yield (domain, keys)
    forAllNoShrink(alphas, columns) { case (alpha, (domain, keys)) =>
      val s = sketch(domain, alpha, keys)
      assertEquals(violations(s, keys), Nil)
      Certificate.phis.foreach { phi =>
        val (low, high) = s.profile.quantileBounds(phi)
        assert(domain.holds(low) && domain.holds(high))
        if (low != high) {
          val (a, b) = if (domain.isFloating) (DoubleKeys.value(low), DoubleKeys.value(high))
          else (low.toDouble, high.toDouble)
          assert(a.sign == b.sign && math.abs(b - a) <= alpha * math.abs(a + b) * (1 + 1e-9), s"$a $b")
        }
      }
    }
  }

  property("whole numbers with a bin each are exact") {
    forAll(Gen.listOf(Gen.choose(-49L, 49L))) { keys =>
      val s = sketch(Domain.Int, 0.01, keys)
      assert(s.profile.isExact)
      val bag = ExactBag.of(keys.toArray)
      if (keys.nonEmpty)
        Certificate.phis.foreach(phi => assertEquals(s.quantile(phi).key, bag.at(phi.rank(bag.count))))
      true
    }
  }

  property("the same rows give the same bytes, whatever their order and parts, also if parts are stored") {
    val rows = Gen.listOf(Gen.zip(signed.map(DoubleKeys.key), Gen.choose(1L, 5L)))
    forAllNoShrink(alphas, rows, Gen.choose(1, 7), Gen.long) { (alpha, rows, parts, seed) =>
      val whole = DDSketchRecipe(Domain.Double, alpha).empty
      rows.foreach { case (key, copies) => whole.insert(key, copies) }
      val single = rows.flatMap { case (key, copies) => List.fill(copies.toInt)(key) }
      val shuffled = new scala.util.Random(seed).shuffle(single)
      val each =
        shuffled.zipWithIndex.groupMap(_._2 % parts)(_._1).values.map(sketch(Domain.Double, alpha, _))
      val union = DDSketchRecipe(Domain.Double, alpha).empty
      val stored = DDSketchRecipe(Domain.Double, alpha).empty
      each.foreach { part =>
        union.merge(part)
        val header = Envelope.StoredHeader.of(Envelope.seal(part), Families.byId)
        header.header.mergeInto(stored, header.payload(Envelope.seal(part)))
      }
      assertEquals(Envelope.seal(union).toSeq, Envelope.seal(whole).toSeq)
      assertEquals(Envelope.seal(stored).toSeq, Envelope.seal(whole).toSeq)
    }
  }

  property("inserting rows in batches gives the same bytes as one by one, for every type") {
    val columns = for {
      domain <- Gen.oneOf(DomainGen.numeric)
      pieces <- Gen.listOf(Gen.choose(0, 400).flatMap(Gen.listOfN(_, DomainGen.value(domain))))
      near <- Gen.choose(0, 10000)
      rows <- Gen.listOfN(near, Gen.choose(100L, 10000L))
    } yield (domain, pieces :+ (if (domain == Domain.BigInt) rows else Nil))
    forAllNoShrink(alphas, columns) { case (alpha, (domain, pieces)) =>
      val many = DDSketchRecipe(domain, alpha).empty
      pieces.foreach { keys =>
        // start in the middle of an array
        val array = (0L +: keys).toArray
        many.insertAll(array, 1, array.length)
      }
      assertEquals(Envelope.seal(many).toSeq, Envelope.seal(sketch(domain, alpha, pieces.flatten)).toSeq)
    }
  }

  test("merging sketches of different alpha is refused and changes nothing, stored or not") {
    val a = doubles(0.01, 1, 2, 3)
    val b = doubles(0.02, 4)
    val before = Envelope.seal(a).toSeq
    val bytes = Envelope.seal(b)
    val header = Envelope.StoredHeader.of(bytes, Families.byId)
    val refusals = Seq(
      intercept[Refusal](a.merge(b)),
      intercept[Refusal](header.header.mergeInto(a, header.payload(bytes)))
    )
    refusals.foreach { r =>
      assertEquals(r.condition, "CHRONOSKETCH_ALPHAS_DIFFER")
      assertEquals(r.parameters, Map("left" -> "0.01", "right" -> "0.02"))
    }
    assertEquals(Envelope.seal(a).toSeq, before)
  }

  test("dates, times and intervals are not supported, nor accepted in stored bytes") {
    DomainGen.all.foreach(d => assertEquals(DDSketches.takes(d), d.isNumeric, d.sql))
    val bytes = Envelope.seal(sketch(Domain.BigInt, 0.01, Seq(5L)))
    bytes(10) = Domain.Timestamp.kind.id.toByte
    assertEquals(
      intercept[Refusal](Families.open(chronosketch.codec.Stored.reseal(bytes))).condition,
      "CHRONOSKETCH_CORRUPT_SKETCH"
    )
  }

  test("minimum, maximum and their quantiles are exact, also infinities and NaN") {
    val s = doubles(0.5, 3.14, 2.71, 2.8, 3.0)
    assertEquals(s.quantile(Phi(0.0)).value, 2.71)
    assertEquals(s.quantile(Phi(1.0)).value, 3.14)
    val specials = doubles(0.01, Double.NaN, Double.NegativeInfinity, Double.PositiveInfinity, -0.0)
    assertEquals(specials.quantile(Phi(0.25)).value, Double.NegativeInfinity)
    assertEquals(specials.quantile(Phi(0.5)).value, 0.0)
    assertEquals(specials.quantile(Phi(0.75)).value, Double.PositiveInfinity)
    assert(specials.quantile(Phi(1.0)).value.isNaN)
    assert(specials.profile.isExact)
  }

  test("memory depends on the number of non-empty bins, not on the range") {
    val meter = new Meter
    val s = DDSketchRecipe(Domain.Double, 1e-4).empty
    s.meteredBy(meter)
    Seq(1e-308, 1e308, -1e308, 5e-324, 1.0).foreach(v => s.insert(DoubleKeys.key(v), 1L << 40))
    assertEquals(s.size, 5)
    assert(meter.bytes < 2000, s"${meter.bytes}")
    assert(Envelope.seal(s).length < 120)
    val random = new SplittableRandom(3)
    (1 to 100000).foreach(_ => s.insert(DoubleKeys.key(math.exp(random.nextDouble() * 4))))
    assert(s.size > 15000 && s.size < 21000, s"${s.size}")
    assert(meter.bytes < 70L * s.size, s"${meter.bytes}")
    s.meteredBy(null)
    assertEquals(meter.bytes, 0L)
  }

  test("a million lognormal values are within alpha, in fewer than 600 bins") {
    val random = new java.util.Random(5)
    val keys = Array.fill(1000000)(DoubleKeys.key(math.exp(random.nextGaussian())))
    val s = sketch(Domain.Double, 0.01, keys)
    assertEquals(violations(s, keys.toSeq), Nil)
    assert(s.size < 600, s"${s.size}")
    assert(Envelope.seal(s).length < 2100, s"${Envelope.seal(s).length}")
  }

  test("a stored bin between the greatest FLOAT and infinity is refused") {
    val bins = Bins.of(0.01)
    val greatest = DoubleKeys.key(Float.MaxValue.toDouble)
    val last = bins.of(Float.MaxValue.toDouble)
    def stored(numbers: Seq[Int], least: Long, most: Long): Array[Byte] = {
      val w = new Wire.Writer
      Envelope.start(w, DDSketchRecipe(Domain.Float, 0.01))
      val counts = new SortedCounts(numbers.map(_.toLong).toArray, numbers.map(_ => 1L).toArray)
      DDSketchWire.write(w, StoredBins(least, most, numbers.size.toLong, counts))
      Envelope.finish(w)
    }
    val infinity = DoubleKeys.PositiveInfinity
    assertEquals(Families.open(stored(Seq(last, bins.infinity), greatest, infinity)).count, 2L)
    for (between <- Seq(last + 2, bins.infinity - 1)) {
      Seq(
        stored(Seq(last, between, bins.infinity), greatest, infinity),
        stored(
          Seq(-bins.infinity, -between, -last),
          DoubleKeys.key(Double.NegativeInfinity),
          DoubleKeys.key(-Float.MaxValue.toDouble)
        )
      ).foreach { bytes =>
        assertEquals(intercept[Refusal](Families.open(bytes)).condition, "CHRONOSKETCH_CORRUPT_SKETCH")
      }
    }
  }
}
