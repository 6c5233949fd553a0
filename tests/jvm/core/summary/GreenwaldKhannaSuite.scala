package chronosketch.summary

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.counted.Share
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.Families
import chronosketch.quantile.{
  GreenwaldKhanna,
  KeyIndex,
  QuantileSketch,
  TupleScratch,
  Tuples => TupleList
}
import chronosketch.rank.Phi

class GreenwaldKhannaSuite extends munit.ScalaCheckSuite {
  import Tuples.Tuple

  private def sketch(epsilon: Double)(keys: Long*): GreenwaldKhanna = {
    val s = new GreenwaldKhanna(Domain.BigInt, epsilon)
    keys.foreach(s.insert(_))
    s
  }

  test("a value of frequency w is (v, 1, Δ) and (v, w − 1, 0)") {
    assertEquals(
      Tuples.of(sketch(0.1)(5, 7, 5, 5, 9, 7)).toList,
      List((5, 1), (5, 2), (7, 1), (7, 1), (9, 1)).map {
        case (v, g) => Tuple(v.toLong, g.toLong, 0)
      }
    )
  }

  test("copies: the same tuples as so many elements") {
    val (one, many) = (sketch(0.0)(), sketch(0.0)())
    Seq(3L -> 1L, 4L -> 4L, 3L -> 1000L, 2L -> 0L, 9L -> 3L, 4L -> 5L).foreach { case (key, copies) =>
      one.insert(key, copies)
      (1L to copies).foreach(_ => many.insert(key))
    }
    assertEquals(Tuples.of(one), Tuples.of(many))
    assertEquals(one.count, 1013L)
  }

  test("one NaN, one zero, and the infinities at their ends") {
    val s = new GreenwaldKhanna(Domain.Double, 0.0)
    Seq(Double.NaN, -0.0, Double.PositiveInfinity, 0.0, Double.NegativeInfinity, -Double.NaN).foreach { d =>
      s.insert(DoubleKeys.key(d))
    }
    val values = Seq("0.1", "0.3", "0.5", "0.6", "0.9", "1").map { phi =>
      DoubleKeys.value(s.profile.quantile(Phi(new java.math.BigDecimal(phi)))).toString
    }
    assertEquals(values, Seq("-Infinity", "0.0", "0.0", "Infinity", "NaN", "NaN"))
  }

  test("a long keeps its low bits") {
    val odd = (1L << 53) + 1
    val s = sketch(0.001)(odd - 1, odd, odd + 1)
    assertEquals(s.profile.quantile(Phi(0.5)), odd)
  }

  test("keys a whole Long apart") {
    val s = sketch(0.01)()
    val keys = (0 until 20000).map(i => if (i % 2 == 0) Long.MinValue + i else Long.MaxValue - i).toArray
    keys.foreach(s.insert(_))
    assertEquals(Certificate.violations(s, ExactBag.of(keys), merged = false), Nil)
    val back = QuantileSketch.own(Families.open(Envelope.seal(s)))
    assertEquals(Tuples.of(back), Tuples.of(s))
  }

  test("asking while inserting changes neither what is true nor how many tuples there are") {
    val keys = Distributions.random.head.sample(50000, 7)
    val (asked, quiet) = (new GreenwaldKhanna(Domain.Double, 0.01), new GreenwaldKhanna(Domain.Double, 0.01))
    keys.indices.foreach { i =>
      asked.insert(keys(i))
      quiet.insert(keys(i))
      if (i % 97 == 0) assert(asked.profile.certifiedError <= Tuples.share(0.01, i + 1L), s"after $i")
      assertEquals(asked.count, i + 1L)
    }
    assertEquals(Certificate.violations(asked, ExactBag.of(keys), merged = false), Nil)
    // asked so often it never has a full buffer to absorb from
    assert(asked.tuples <= 3 / 0.01 && quiet.tuples <= 2.3 / 0.01, s"${asked.tuples} ${quiet.tuples}")
  }

  test("a merge drops no further than its limit, even where too many tuples stay") {
    val (m, limit) = (100, 50L)
    // every tuple but the outermost is as doubtful as it may be: none can take in another
    val deltas = Array.tabulate(m)(i => if (i == 0 || i == m - 1) 0L else limit - 1)
    val doubtful = new TupleList
    doubtful.keys = Array.tabulate(m)(_.toLong)
    doubtful.gs = Array.fill(m)(1L)
    doubtful.deltas = deltas
    doubtful.size = m
    val union = new TupleScratch
    // the last, whose Δ is 0, takes in as many as the limit allows
    def left(most: Long): Int = {
      union.combine(doubtful, new TupleList)
      union.dropTo(10, most, 0L)
      union.length
    }
    assertEquals(left(limit), m - limit.toInt + 1)
    assertEquals(left(2 * limit), 10, "with a limit to spare, the smallest that reaches the target")
  }

  property("share is ⌊εn⌋ of the numbers that the arguments are") {
    val epsilons =
      Gen.oneOf(Gen.choose(0.0, 1.0), Gen.oneOf(0.1, 0.3, 0.7, 1e-3, 1e-4, 1.0, 0.0, 1e-300, 0.5))
    val counts = Gen.oneOf(
      Gen.choose(0L, 1000L),
      Gen.choose(0L, 1L << 40),
      Gen.choose(0L, Long.MaxValue),
      Gen.choose(1L, 1000000L).map(_ * 10),
      Gen.oneOf((1L << 52) - 1, 1L << 53, (1L << 53) + 1, Long.MaxValue)
    )
    forAll(epsilons, counts)((e, n) => assertEquals(Share.of(e, n), Tuples.share(e, n)))
  }

  test("0.1·30 is 3.0000000000000004 in doubles and 3.0000000000000001665 in truth; 0.3·10 is less than 3") {
    assertEquals(Share.of(0.1, 30), 3L)
    assertEquals(Share.of(0.3, 10), 2L)
    assertEquals(0.3 * 10, 3.0)
  }

  property("KeyIndex finds what a scan finds") {
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
