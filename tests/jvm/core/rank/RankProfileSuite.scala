package chronosketch.rank

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}
import chronosketch.domain.Domain
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.summary.TupleChecks

class RankProfileSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(500))

  import RankProfileSuite.Case

  private def sketch(values: Seq[Long], epsilon: Double, parts: Int): GreenwaldKhanna = {
    val all = values.grouped(math.max(1, values.size / parts)).toSeq.map { part =>
      val s = new GreenwaldKhanna(Domain.BigInt, epsilon)
      part.foreach(s.insert(_))
      s.tuples
      s
    }
    all.tail.foreach(all.head.merge)
    all.head
  }

  private def cases(straddling: Gen[Boolean]): Gen[Case] = for {
    size <- Gen.choose(1, 14)
    spread <- Gen.oneOf(1L, 3L, 10L, 40L)
    values <- Gen.listOfN(size, Gen.choose(0L, spread))
    epsilon <- Gen.oneOf(0.0, 0.2, 0.35, 0.5)
    parts <- Gen.choose(1, 3)
    straddles <- straddling
  } yield {
    val s = sketch(values, epsilon, parts)
    val profile = if (straddles) RankProfile.straddling(s.profile) else s.profile
    Case(values.sorted, straddles, profile, NaiveProfile.Bag(TupleChecks.of(s), straddles))
  }

  private def sums(straddling: Gen[Boolean]): Gen[Seq[Case]] =
    Gen.choose(1, 4).flatMap(n => Gen.listOfN(n, cases(straddling)))

  private val certain = sums(Gen.const(false))
  private val any = sums(Gen.oneOf(true, false))

  private val phis: Seq[Phi] =
    Seq("0", "0.001", "0.07", "0.1", "0.25", "0.3333", "0.5", "0.501", "0.75", "0.9", "0.99", "1")
      .map(text => Phi(new java.math.BigDecimal(text)))
      .flatMap(phi => Seq(phi, phi.fromGreatest))

  private def sum(cases: Seq[Case]): RankProfile = cases.map(_.profile).foldLeft(RankProfile.empty)(_.plus(_))

  private def naive(cases: Seq[Case]): NaiveProfile = NaiveProfile(cases.map(_.naive))

  /** Possible contents of the window: no element of a straddling bag, all, the first or second half, every other one, or the last. */
  private def worlds(cases: Seq[Case]): Seq[IndexedSeq[Long]] = {
    def select(values: Seq[Long], choice: Int): Seq[Long] = choice match {
      case 0 => Nil
      case 1 => values
      case 2 => values.take(values.size / 2)
      case 3 => values.drop(values.size / 2)
      case 4 => values.zipWithIndex.collect { case (v, i) if i % 2 == 0 => v }
      case _ => values.lastOption.toSeq
    }
    (0 to 5)
      .map(choice =>
        cases.zipWithIndex
          .flatMap { case (c, i) => if (c.straddles) select(c.values, (choice + i) % 6) else c.values }
          .sorted
          .toIndexedSeq
      )
      .filter(_.nonEmpty)
      .distinct
  }

  property("the four functions equal their definition at every key and between keys") {
    forAll(any) { cases =>
      val (profile, definition) = (sum(cases), naive(cases))
      assertEquals((0 until profile.size).map(profile.key), definition.keys)
      assertEquals(profile.countLow, definition.aboveLow(Long.MinValue))
      assertEquals(profile.countHigh, definition.aboveHigh(Long.MinValue))
      (definition.keys.head - 1 to definition.keys.last + 1).foreach { x =>
        val expected = (definition.atMostLow(x), definition.atMostHigh(x))
        assertEquals(profile.rankBounds(profile.position(x)), expected, s"at $x")
      }
    }
  }

  property("quantile bounds and errors equal those computed from the definition") {
    forAll(any) { cases =>
      val (profile, definition) = (sum(cases), naive(cases))
      phis.foreach { phi =>
        assertEquals(profile.quantileBounds(phi), definition.quantileBounds(phi), s"bounds at $phi")
        val index = profile.quantileIndex(phi)
        (0 until profile.size).foreach { i =>
          assertEquals(
            profile.errorOf(phi, i),
            definition.errorOf(phi, profile.key(i)),
            s"error of $i at $phi"
          )
        }
        assertEquals(profile.errorOf(phi, index), definition.leastError(phi), s"the best at $phi")
        assert(profile.errorOf(phi, index) <= profile.certifiedError, s"$phi: above the certified error")
      }
    }
  }

  property("if the count is certain, some rank has the certified error") {
    forAll(certain) { cases => assertEquals(sum(cases).certifiedError, naive(cases).certifiedError) }
  }

  property("if the count is uncertain, the certified error exceeds the error of some φ by at most one") {
    val grid = (0 to 1000).map(i => Phi(java.math.BigDecimal.valueOf(i.toLong, 3)))
      .flatMap(phi => Seq(phi, phi.fromGreatest))
    forAll(any) { cases =>
      val profile = sum(cases)
      val worst = grid.map(phi => profile.errorOf(phi, profile.quantileIndex(phi))).max
      // the grid is fine enough to reach every rank of so few elements
      assert(
        worst <= profile.certifiedError && profile.certifiedError <= worst + 1,
        s"${profile.certifiedError} $worst"
      )
    }
  }

  property("for all possible contents: answers within bounds, errors at most the certified ones") {
    forAll(any) { cases =>
      val profile = sum(cases)
      worlds(cases).foreach { seen =>
        phis.foreach { phi =>
          val rank = phi.rank(seen.size.toLong)
          val exact = seen(rank.toInt - 1)
          val (low, high) = profile.quantileBounds(phi)
          assert(low <= exact && exact <= high, s"$phi: $exact is not in [$low, $high]")
          val index = profile.quantileIndex(phi)
          val answer = profile.quantile(phi)
          assertEquals(answer, profile.key(index))
          assert(low <= answer && answer <= high, s"$phi: the answer $answer is not in [$low, $high]")
          val (first, last) = (seen.count(_ < answer) + 1L, seen.count(_ <= answer).toLong)
          val error = math.max(0L, math.max(first - rank, rank - last))
          assert(error <= profile.errorOf(phi, index), s"$phi: $answer is $error ranks off")
        }
      }
    }
  }

  property("for all possible contents: rank and cdf within their bounds") {
    forAll(any) { cases =>
      val profile = sum(cases)
      worlds(cases).foreach { seen =>
        (-1L to 42L by 1L).foreach { x =>
          val exact = seen.count(_ <= x).toLong
          val at = profile.position(x)
          val (low, high) = profile.rankBounds(at)
          assert(low <= exact && exact <= high, s"rank of $x")
          assert(low <= profile.rank(at) && profile.rank(at) <= high)
          val (least, most) = profile.cdfBounds(at)
          assert(0.0 <= least && least <= profile.cdf(at) && profile.cdf(at) <= most && most <= 1.0)
          val share = exact.toDouble / seen.size
          assert(least <= share && share <= most, s"share of $x: $share is not in [$least, $most]")
        }
      }
    }
  }

  property("cdf never falls; if the count is certain, pmf adds up to 1 and agrees with cdf") {
    forAll(any, Gen.listOfN(3, Gen.choose(-1L, 42L))) { (cases, splits) =>
      val profile = sum(cases)
      val positions = splits.sorted.map(profile.position).toArray
      val cdf = (-1 until profile.size).map(profile.cdf)
      assert(cdf.zip(cdf.tail).forall { case (a, b) => a <= b })
      val pmf = profile.pmf(positions)
      assertEquals(pmf.length, 4)
      assert(pmf.forall(_ >= 0.0))
      if (profile.countLow == profile.countHigh) {
        assertEqualsDouble(pmf.sum, 1.0, 1e-12)
        positions.indices.foreach(i =>
          assertEqualsDouble(pmf.take(i + 1).sum, profile.cdf(positions(i)), 1e-12)
        )
      }
    }
  }

  /** The answers to all queries. */
  private def answers(profile: RankProfile): Any = (
    (0 until profile.size).map(i => (profile.key(i), profile.rankBounds(i), profile.cdf(i))),
    (profile.countLow, profile.countHigh, profile.isExact),
    phis.map(phi => (profile.quantile(phi), profile.quantileBounds(phi))),
    phis.map(phi => (0 until profile.size).map(profile.errorOf(phi, _))),
    profile.certifiedError
  )

  property("plus is commutative and associative, and the empty profile is neutral") {
    val one = cases(Gen.oneOf(true, false)).map(_.profile)
    forAll(one, one, one) { (a, b, c) =>
      assertEquals(answers(a.plus(b)), answers(b.plus(a)))
      assertEquals(answers(a.plus(b).plus(c)), answers(a.plus(b.plus(c))))
      assertEquals(answers(a.plus(RankProfile.empty)), answers(a))
      assertEquals(answers(RankProfile.empty.plus(a)), answers(a))
    }
  }

  property("the profiles of exact bags give exact answers") {
    forAll(Gen.nonEmptyListOf(Gen.choose(0L, 9L)), Gen.listOf(Gen.choose(5L, 14L))) { (a, b) =>
      val profile =
        sketch(a, 0.0, 1).profile.plus(if (b.isEmpty) RankProfile.empty else sketch(b, 0.0, 1).profile)
      val seen = (a ++ b).sorted.toIndexedSeq
      assert(profile.isExact)
      assertEquals(profile.certifiedError, 0L)
      assertEquals((profile.minimum, profile.maximum), (seen.head, seen.last))
      phis.foreach { phi =>
        val exact = seen(phi.rank(seen.size.toLong).toInt - 1)
        assertEquals(profile.quantile(phi), exact)
        assertEquals(profile.quantileBounds(phi), (exact, exact))
      }
    }
  }

  test("counts above 2⁶²: a sum that overflows is an error, not a negative number") {
    def heavy(copies: Long): RankProfile = {
      val s = new GreenwaldKhanna(Domain.BigInt, 0.01)
      s.insert(1, copies)
      s.insert(2, copies - 1)
      s.profile
    }
    val half = heavy(1L << 62)
    assertEquals(half.countLow, Long.MaxValue)
    assertEquals(half.quantile(Phi(0.5)), 1L)
    assertEquals(half.quantile(Phi(0.51)), 2L)
    intercept[ArithmeticException](half.plus(half))
    intercept[ArithmeticException](half.plus(RankProfile.straddling(half)))
    val wide = heavy(1L << 61).plus(RankProfile.straddling(heavy(1L << 60)))
    assert(wide.certifiedError > 0 && wide.certifiedError <= wide.countHigh)
  }

  test("empty bags, and a bag of which no element may be in the window") {
    assert(RankProfile.empty.isEmpty)
    assertEquals(RankProfile.empty.countHigh, 0L)
    assertEquals((RankProfile.empty.certifiedError, RankProfile.empty.rankError), (0L, 1.0))
    assert(RankProfile.straddling(RankProfile.empty).isEmpty)
    val straddling = RankProfile.straddling(sketch(Seq(1L, 2L, 2L), 0.0, 1).profile)
    assertEquals((straddling.countLow, straddling.countHigh), (0L, 3L))
    assertEquals(straddling.rankError, 1.0)
    assert(!straddling.isExact)
    assertEquals(straddling.quantileBounds(Phi(0.5)), (1L, 2L))
  }

  property("an answer is the same with and without the index, and for repeated queries") {
    val steps = Gen.oneOf(Gen.choose(0L, 3L), Gen.choose(0L, 1000L), Gen.oneOf(0L, 1L, 1L << 40, 1L << 54))
    val profiles = for {
      size <- Gen.choose(1, 60)
      least <- Gen.listOfN(size, steps)
      doubt <- Gen.listOfN(size, steps)
    } yield {
      val n = least.sum + 1
      val low = least.scanLeft(1L)(_ + _).tail.toArray
      val high = low.zip(doubt).map { case (a, d) => math.min(n, a + d) }.scanLeft(0L)(math.max(_, _)).tail
      high(size - 1) = n
      RankProfile.certain(size, Array.tabulate(size)(_.toLong), low, high, n)
    }
    forAll(profiles) { profile =>
      val several = phis ++ Seq.tabulate(40)(i => Phi(i / 39.0))
      val expected = several.map(profile.searchQuantileIndex)
      (1 to 3).foreach(_ => assertEquals(several.map(profile.quantileIndex), expected))
    }
  }
}

object RankProfileSuite {

  /** The values of a bag, the profile of its sketch, and the bag for the profile by definition. */
  final case class Case(values: Seq[Long], straddles: Boolean, profile: RankProfile, naive: NaiveProfile.Bag)
}
