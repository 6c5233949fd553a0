package chronosketch.qlove

import org.apache.commons.math3.distribution.NormalDistribution
import org.apache.commons.math3.stat.inference.MannWhitneyUTest
import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.CheckSuite

class MannWhitneySuite extends CheckSuite {
  private def tail(keys: Seq[Long]): Tail = {
    val falling = keys.sorted.reverse
    val (tops, samples) = falling.splitAt(keys.size / 3)
    new Tail(tops.toArray, samples.toArray, 7L)
  }

  private def p(x: Seq[Long], y: Seq[Long]): Double = MannWhitney.p(tail(x), tail(y))

  private val cases: Gen[(Vector[Long], Vector[Long])] = for {
    n <- Gen.choose(1, 60)
    m <- Gen.choose(1, 60)
    seed <- Gen.long
    shift <- Gen.oneOf(0.0, 0.5, 3.0)
  } yield {
    val r = new scala.util.Random(seed)
    (
      Vector.fill(n)((r.nextGaussian() * 1e12).toLong),
      Vector.fill(m)(((r.nextGaussian() + shift) * 1e12).toLong)
    )
  }

  property("without ties, p equals that of commons-math3") {
    val theirs = new MannWhitneyUTest()
    forAll(cases) { case (x, y) =>
      val expected = theirs.mannWhitneyUTest(x.map(_.toDouble).toArray, y.map(_.toDouble).toArray)
      assertEqualsDouble(p(x, y), expected, 1e-9 * expected + 1e-300)
    }
  }

  /** The p from average ranks and the variance of their sum over all assignments of ranks to the samples. */
  private def byRanks(x: Seq[Long], y: Seq[Long]): Double = {
    val all = (x ++ y).sorted
    val ranks = (x ++ y).distinct.map { key =>
      val at = all.indices.filter(all(_) == key).map(_ + 1.0)
      key -> at.sum / at.size
    }.toMap
    val n = x.size.toDouble
    val m = y.size.toDouble
    val mean = (n + m + 1) / 2
    val spread = (x ++ y).map(k => math.pow(ranks(k) - mean, 2)).sum / (n + m - 1)
    val variance = n * m / (n + m) * spread
    val z = math.abs(x.map(ranks).sum - n * mean) / math.sqrt(variance)
    if (variance == 0) 1.0 else 2 * new NormalDistribution().cumulativeProbability(-z)
  }

  property("with ties, p equals that of randomly assigned ranks") {
    val few = Gen.zip(Gen.choose(1, 30), Gen.choose(1, 30), Gen.choose(1, 12)).flatMap { case (n, m, k) =>
      Gen.zip(Gen.listOfN(n, Gen.choose(0L, k.toLong)), Gen.listOfN(m, Gen.choose(0L, k.toLong)))
    }
    forAll(few) { case (x, y) =>
      assertEqualsDouble(p(x, y), byRanks(x, y), 1e-9)
      assertEqualsDouble(p(y, x), p(x, y), 1e-12)
    }
  }

  test("p is 1 if a sample is empty or all values are equal") {
    assertEquals(p(Nil, Seq(1L)), 1.0)
    assertEquals(p(Seq(1L), Nil), 1.0)
    assertEquals(p(Nil, Nil), 1.0)
    assertEquals(p(Seq(3L, 3L), Seq(3L, 3L, 3L)), 1.0)
  }

  test("the normal distribution, up to the range of doubles") {
    val theirs = new NormalDistribution()
    (0 to 350).map(_ / 10.0).foreach { z =>
      val expected = theirs.cumulativeProbability(-z)
      assertEqualsDouble(Normal.above(z), expected, 1e-11 * expected)
    }
    assertEquals(Normal.above(0.0), 0.5)
    assertEqualsDouble(Normal.above(2.241402727604947), 1.0 / 80, 1e-14)
    assertEquals(Normal.above(1e9), 0.0)
  }
}
