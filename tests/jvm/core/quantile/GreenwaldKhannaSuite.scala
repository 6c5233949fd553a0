package chronosketch.quantile

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.CheckSuite
import chronosketch.counted.ElementCount
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.Families
import chronosketch.rank.Phi
import chronosketch.summary.{Certificate, Distributions, Envelope, ExactBag, TupleChecks}

class GreenwaldKhannaSuite extends CheckSuite {
  import TupleChecks.Tuple

  private def sketch(epsilon: Double)(keys: Long*): GreenwaldKhanna = {
    val s = new GreenwaldKhanna(Domain.BigInt, epsilon)
    keys.foreach(s.insert(_))
    s
  }

  test("a value with frequency w has the tuples (v, 1, Δ) and (v, w − 1, 0)") {
    assertEquals(
      TupleChecks.of(sketch(0.1)(5, 7, 5, 5, 9, 7)).toList,
      List((5, 1), (5, 2), (7, 1), (7, 1), (9, 1)).map {
        case (v, g) => Tuple(v.toLong, g.toLong, 0)
      }
    )
  }

  test("n copies give the same tuples as n elements") {
    val (one, many) = (sketch(0.0)(), sketch(0.0)())
    Seq(3L -> 1L, 4L -> 4L, 3L -> 1000L, 2L -> 0L, 9L -> 3L, 4L -> 5L).foreach { case (key, copies) =>
      one.insert(key, copies)
      (1L to copies).foreach(_ => many.insert(key))
    }
    assertEquals(TupleChecks.of(one), TupleChecks.of(many))
    assertEquals(one.count, 1013L)
  }

  test("all NaN are one value, both zeros are one value, and infinities sort at the ends") {
    val s = new GreenwaldKhanna(Domain.Double, 0.0)
    Seq(Double.NaN, -0.0, Double.PositiveInfinity, 0.0, Double.NegativeInfinity, -Double.NaN).foreach { d =>
      s.insert(DoubleKeys.key(d))
    }
    val values = Seq("0.1", "0.3", "0.5", "0.6", "0.9", "1").map { phi =>
      DoubleKeys.value(s.profile.quantile(Phi(new java.math.BigDecimal(phi)))).toString
    }
    assertEquals(values, Seq("-Infinity", "0.0", "0.0", "Infinity", "NaN", "NaN"))
  }

  test("a Long keeps its low bits") {
    val odd = (1L << 53) + 1
    val s = sketch(0.001)(odd - 1, odd, odd + 1)
    assertEquals(s.profile.quantile(Phi(0.5)), odd)
  }

  test("keys at both ends of the range of Long") {
    val s = sketch(0.01)()
    val keys = (0 until 20000).map(i => if (i % 2 == 0) Long.MinValue + i else Long.MaxValue - i).toArray
    keys.foreach(s.insert(_))
    assertEquals(Certificate.violations(s, ExactBag.of(keys), merged = false), Nil)
    val back = QuantileSketch.own(Families.open(Envelope.seal(s)))
    assertEquals(TupleChecks.of(back), TupleChecks.of(s))
  }

  test("querying while inserting keeps the certificate valid and the number of tuples small") {
    val keys = Distributions.random.head.sample(50000, 7)
    val queried, unqueried = new GreenwaldKhanna(Domain.Double, 0.01)
    keys.indices.foreach { i =>
      queried.insert(keys(i))
      unqueried.insert(keys(i))
      if (i % 97 == 0) assert(queried.profile.certifiedError <= TupleChecks.share(0.01, i + 1L), s"after $i")
      assertEquals(queried.count, i + 1L)
    }
    assertEquals(Certificate.violations(queried, ExactBag.of(keys), merged = false), Nil)
    // the queried one never has a full buffer to absorb from
    assert(
      queried.tuples <= 3 / 0.01 && unqueried.tuples <= 2.3 / 0.01,
      s"${queried.tuples} ${unqueried.tuples}"
    )
  }

  test("a merge keeps its limit even if more tuples than the target are left") {
    val (m, limit) = (100, 50L)
    // every tuple but the outermost has the greatest Δ that the limit allows, so no other can be dropped into it
    val deltas = Array.tabulate(m)(i => if (i == 0 || i == m - 1) 0L else limit - 1)
    val full = new Tuples
    full.keys = Array.tabulate(m)(_.toLong)
    full.gs = Array.fill(m)(1L)
    full.deltas = deltas
    full.size = m
    val union = new UnitedTuples
    // as many as the limit allows are dropped into the last one, whose Δ is 0
    def left(most: Long): Int = {
      union.combine(full, new Tuples)
      new UniformThinning(union).dropTo(10, most)
      union.length
    }
    assertEquals(left(limit), m - limit.toInt + 1)
    assertEquals(left(2 * limit), 10, "the smallest limit that reaches the target")
  }

  property("share is ⌊εn⌋, computed exactly") {
    val epsilons =
      Gen.oneOf(Gen.choose(0.0, 1.0), Gen.oneOf(0.1, 0.3, 0.7, 1e-3, 1e-4, 1.0, 0.0, 1e-300, 0.5))
    val counts = Gen.oneOf(
      Gen.choose(0L, 1000L),
      Gen.choose(0L, 1L << 40),
      Gen.choose(0L, Long.MaxValue),
      Gen.choose(1L, 1000000L).map(_ * 10),
      Gen.oneOf((1L << 52) - 1, 1L << 53, (1L << 53) + 1, Long.MaxValue)
    )
    forAll(epsilons, counts)((e, n) => assertEquals(ElementCount.share(e, n), TupleChecks.share(e, n)))
  }

  test("shares of doubles are exact: ⌊0.1·30⌋ is 3 and ⌊0.3·10⌋ is 2, though 0.3 * 10 is 3.0 in doubles") {
    assertEquals(ElementCount.share(0.1, 30), 3L)
    assertEquals(ElementCount.share(0.3, 10), 2L)
    assertEquals(0.3 * 10, 3.0)
  }

  property("KeyIndex finds the same position as a scan") {
    val keys = Gen
      .nonEmptyListOf(Gen.oneOf(Gen.long, Gen.choose(-50L, 50L), Gen.oneOf(Long.MinValue, Long.MaxValue)))
      .map(_.sorted.toArray)
    forAll(keys, Gen.long, Gen.choose(-50L, 50L)) { (sorted, any, small) =>
      val index = new KeyIndex(sorted, sorted.length, 0L, isFine = true)
      (sorted.toSeq ++ Seq(any, small)).filter(k => sorted.head <= k && k <= sorted.last).foreach { k =>
        assertEquals(KeyIndexSuite.successor(index, k), sorted.indexWhere(_ >= k))
      }
    }
  }
}
