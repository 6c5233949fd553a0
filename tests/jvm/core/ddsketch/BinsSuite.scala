package chronosketch.ddsketch

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.domain.{Domain, DoubleKeys}

class BinsSuite extends CheckSuite {
  override def scalaCheckTestParameters =
    super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(7000))

  private val alphas: Gen[Double] = Gen.frequency(
    3 -> Gen.oneOf(1e-4, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.3, 0.5),
    1 -> Gen.choose(math.log(1e-4), math.log(0.5)).map(math.exp)
  )

  /** Magnitudes of all sizes: subnormal, near the ends of the ranges, near powers of two, whole numbers. */
  private val magnitudes: Gen[Double] = Gen.oneOf(
    Gen.choose(0L, java.lang.Double.doubleToLongBits(Double.MaxValue)).map(java.lang.Double.longBitsToDouble),
    Gen.choose(1L, 3000L).map(java.lang.Double.longBitsToDouble),
    Gen.choose(1L, 1L << 52).map(java.lang.Double.longBitsToDouble),
    Gen.choose(0L, 100L).map(i =>
      java.lang.Double.longBitsToDouble(
        java.lang.Double.doubleToLongBits(java.lang.Double.MIN_NORMAL) + i - 50
      )
    ),
    Gen.choose(0L, 100L).map(i =>
      java.lang.Double.longBitsToDouble(java.lang.Double.doubleToLongBits(Double.MaxValue) - i)
    ),
    Gen.zip(Gen.choose(-1074, 1023), Gen.choose(-3L, 3L)).map { case (e, ulps) =>
      java.lang.Double.longBitsToDouble(java.lang.Double.doubleToLongBits(math.scalb(1.0, e)) + ulps).abs
    },
    Gen.choose(1L, 100000L).map(_.toDouble)
  ).retryUntil(_ <= Double.MaxValue)

  property("every number is within its bin's range, and the middle of the range is within alpha of it") {
    forAllNoShrink(alphas, magnitudes) { (alpha, value) =>
      val bins = Bins.of(alpha)
      val b = bins.of(value)
      assertEquals(bins.of(-value), -b)
      val (least, greatest) = (bins.least(b), bins.greatest(b))
      assert(least <= value && value <= greatest, s"$value in [$least, $greatest]")
      assertEquals((bins.least(-b), bins.greatest(-b)), (-greatest, -least))
      val middle = new java.math.BigDecimal(Bins.middle(least, greatest))
      assertEquals(Bins.middle(-greatest, -least), -Bins.middle(least, greatest))
      // also for the ends of the range, which need not be values of the bin
      Seq(least, value, greatest).map(new java.math.BigDecimal(_)).foreach { exact =>
        assert(
          middle.subtract(exact).abs.compareTo(exact.multiply(new java.math.BigDecimal(alpha))) <= 0,
          s"$middle for $exact"
        )
      }
    }
  }

  property(
    "numbers next to an edge are within their bin's range; bins increase with numbers, except nearly equal ones"
  ) {
    forAllNoShrink(alphas, magnitudes, Gen.choose(-6, 6)) { (alpha, value, ulps) =>
      val bins = Bins.of(alpha)
      val edge = bins.greatest(bins.of(value)) / (1 + Bins.Margin)
      val beside = edge + ulps * Math.ulp(edge)
      if (beside > 0 && beside <= Double.MaxValue) {
        val b = bins.of(beside)
        assert(bins.least(b) <= beside && beside <= bins.greatest(b), s"$beside")
        assert(bins.of(beside * (1 - 1e-11)) <= b && b <= bins.of(beside * (1 + 1e-11)))
      }
      true
    }
  }

  test("special values have bins of their own, in order") {
    Seq(1e-4, 0.01, 0.5).foreach { alpha =>
      val bins = Bins.of(alpha)
      val rising = Seq(
        Double.NegativeInfinity,
        -Double.MaxValue,
        -1.0,
        -java.lang.Double.MIN_NORMAL,
        -Double.MinPositiveValue,
        0.0,
        Double.MinPositiveValue,
        2 * Double.MinPositiveValue,
        Math.nextDown(java.lang.Double.MIN_NORMAL),
        java.lang.Double.MIN_NORMAL,
        1.0,
        Double.MaxValue,
        Double.PositiveInfinity,
        Double.NaN
      )
      val numbers = rising.map(bins.of)
      assertEquals(numbers, numbers.distinct.sorted)
      assertEquals(bins.of(-0.0), 0)
      Seq(Double.NegativeInfinity, 0.0, Double.PositiveInfinity, Double.NaN).foreach { v =>
        assert(v.equals(bins.least(bins.of(v)) + 0.0) && v.equals(bins.greatest(bins.of(v)) + 0.0), s"$v")
      }
    }
  }

  /** Describes differences from the library's bins, for numbers mapped one by one and in blocks. */
  private def differences(bins: Bins, library: LibraryBins, values: Array[Double]): Seq[String] = {
    val keys = values.map(DoubleKeys.key)
    val many = new Array[Int](values.length)
    values.indices.grouped(256).foreach { block =>
      val found = new Array[Int](block.size)
      val ends = Array.fill(2)(keys(block.head))
      bins.ofAll(keys, block.head, block.size, found, ends)
      assertEquals(ends.toSeq, Seq(block.map(keys(_)).min, block.map(keys(_)).max))
      found.copyToArray(many, block.head)
    }
    values.indices.iterator
      .filter(i => bins.of(values(i)) != library.of(values(i)) || many(i) != library.of(values(i)))
      .map(i => s"${values(i)}: ${bins.of(values(i))}, ${many(i)}, ${library.of(values(i))}")
      .take(5)
      .toSeq
  }

  test("each number has the same bin as by the library's mapping, alone and in batches") {
    val random = new java.util.SplittableRandom(7)
    val some = Seq(1e-4, 2e-4, 1e-3, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5)
    val others = Seq.fill(Cases.of(10))(math.exp(random.nextDouble() * math.log(5000)) * 1e-4)
    val n = 20000
    (some ++ others.map(math.min(_, 0.5))).foreach { alpha =>
      val bins = Bins.of(alpha)
      val library = new LibraryBins(alpha)
      def check(values: Array[Double]): Unit =
        assertEquals(differences(bins, library, values), Nil, s"$alpha")
      def any: Double = java.lang.Double.longBitsToDouble(random.nextLong())
      def usual: Double = math.exp(random.nextDouble() * 100 - 50)
      check(Array.fill(n)(any))
      check(Array.fill(n)(math.abs(any)))
      check(Array.fill(n)(usual))
      check(Array.fill(n)((if (random.nextBoolean()) usual else -usual) * random.nextInt(3)))
      check(Array.fill(n)(random.nextInt(100000).toDouble))
      check(Array.fill(n)(random.nextLong(1L << 53) * Double.MinPositiveValue))
      // next to every edge, or to many of them
      val step = math.max(1, library.normals.size / 3000)
      check(library.normals.by(step).toArray.flatMap { bin =>
        val edge = library.edge(bin)
        (-12 to 12).map(ulps => edge + ulps * Math.ulp(edge))
      })
      // next to the powers of two and to the edges of the table's cells
      check((-1074 to 1023).toArray.flatMap { e =>
        val bits = java.lang.Double.doubleToLongBits(math.scalb(1.0, e))
        (-3L to 3L).map(ulps => java.lang.Double.longBitsToDouble(bits + ulps))
      })
      check((0 until 512).toArray.flatMap { cell =>
        val bits = java.lang.Double.doubleToLongBits(1.0) + (cell.toLong << 43)
        (-3L to 3L).map(ulps => java.lang.Double.longBitsToDouble(bits + ulps))
      })
      check((0 until 200).toArray.map(i => java.lang.Double.longBitsToDouble(0x7fefffffffffffffL - i)))
    }
  }

  property("filled bins contain a value of the type") {
    val domains = Gen.oneOf(Domain.Double, Domain.Float, Domain.BigInt, Domain.decimal(18, 3))
    forAllNoShrink(alphas, domains, magnitudes, Gen.oneOf(true, false)) {
      (alpha, domain, value, isNegative) =>
        val bins = Bins.of(alpha)
        val keys = new BinKeys(bins, domain)
        val b = bins.of(value)
        val greatest = domain match {
          case Domain.Double => Double.PositiveInfinity
          case Domain.Float => Float.MaxValue.toDouble
          case _ => domain.greatest.toDouble
        }
        if (keys.isFilled(b.toLong) && b < bins.of(greatest)) {
          val signed = if (isNegative) -b else b
          assert(keys.least(signed) <= keys.greatest(signed), s"$signed of $domain")
        }
        true
    }
  }
}
