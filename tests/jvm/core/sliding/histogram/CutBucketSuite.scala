package chronosketch.sliding.histogram

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.{Cases, CheckSuite}

/** Tests that the bounds of M2 hold for every remaining part of a bucket, and are tight. */
class CutBucketSuite extends CheckSuite {
  override def scalaCheckTestParameters = super.scalaCheckTestParameters.withMinSuccessfulTests(Cases.of(200))

  private def spread(values: Seq[Double]): Spread = {
    val all = new Spread
    values.foreach(all.add)
    all
  }

  private def bounds(rest: Seq[Double], bucket: Seq[Double], part: Int): (Double, Double) = {
    val whole = spread(bucket)
    val cut = new CutBucket
    cut.bound(spread(rest), part.toLong, whole.n, whole.mean, whole.m2, (rest ++ bucket).map(math.abs).max)
    (cut.low, cut.high)
  }

  private val numbers =
    Gen.oneOf(Gen.choose(-1000, 1000), Gen.choose(-3, 3), Gen.choose(990, 1000)).map(_.toDouble)

  property("every part is within the bounds") {
    val cases = for {
      rest <- Gen.choose(0, 12).flatMap(Gen.listOfN(_, numbers))
      bucket <- Gen.choose(1, 9).flatMap(Gen.listOfN(_, numbers))
    } yield (rest, bucket)
    forAllNoShrink(cases) { case (rest, bucket) =>
      for (part <- 1 to bucket.size) {
        val (low, high) = bounds(rest, bucket, part)
        bucket.indices.combinations(part).foreach { left =>
          val m2 = spread(rest ++ left.map(bucket)).m2
          assert(
            low <= m2 * (1 + 1e-12) && m2 <= high * (1 + 1e-12),
            s"$low ≤ $m2 ≤ $high: $left of $bucket after $rest"
          )
        }
        if (part == bucket.size) assert(high <= low * (1 + 1e-9) + 1e-9, s"$low, $high")
      }
    }
  }

  property("buckets of two numbers reach the bounds") {
    val cases = for {
      rest <- Gen.choose(1, 12).flatMap(Gen.listOfN(_, numbers))
      near <- Gen.choose(1, 9)
      far <- Gen.choose(1, 9)
      apart <- Gen.choose(1, 1000)
    } yield (rest, near, far, apart)
    forAllNoShrink(cases) { case (rest, near, far, apart) =>
      // both numbers are above all others: either the lower or the higher one remains alone
      val low = List.fill(near)(2000.0)
      val high = List.fill(far)(2000.0 + apart)
      val mean = (low ++ high).sum / (near + far) - rest.sum / rest.size
      val (least, _) = bounds(rest, low ++ high, near)
      val exactLow = spread(rest ++ low).m2
      assert(least >= exactLow * (1 - 1e-9), s"$least, $exactLow is there")
      val (_, most) = bounds(rest, low ++ high, far)
      val exactHigh = spread(rest ++ high).m2
      // only if the part's mean is as far out as possible
      val p = far.toDouble
      val c = p * rest.size / (p + rest.size)
      val a = p * (near + far) / near
      if (c * mean / (a - c) >= apart.toDouble * near / (near + far))
        assert(most <= exactHigh * (1 + 1e-9), s"$most, $exactHigh is there")
    }
  }
}
