package chronosketch.spark.sliding

import org.scalacheck.{Gen, Prop}

import chronosketch.CheckSuite
import chronosketch.domain.Domain
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.RankProfile
import chronosketch.spark.sliding.ranges.{HaloReach, RangeCut, Ranges}

/** Tests where rows are cut into ranges: each range with its halo contains its rows' frames, though ranks are known only within bounds. */
class RangeCutSuite extends CheckSuite {
  private val keys: Gen[Seq[Long]] = for {
    distinct <- Gen.oneOf(1, 2, 10, 300, 100000)
    n <- Gen.choose(0, 2000)
    extremes <- Gen.oneOf(Seq.empty[Long], Seq(Long.MinValue, Long.MaxValue))
    some <- Gen.listOfN(n, Gen.choose(0L, distinct.toLong))
  } yield some ++ extremes

  // several input partitions, each with a summary of its own
  private def profile(keys: Seq[Long], error: Double): RankProfile =
    keys.grouped(700).map { part =>
      val sketch = new GreenwaldKhanna(Domain.BigInt, error)
      part.foreach(sketch.insert)
      sketch.profile
    }.foldLeft(RankProfile.empty)(_ plus _)

  property("halos are large enough, and ranges are adjacent") {
    Prop.forAll(
      keys,
      Gen.oneOf(0.3, 0.05, 0.001),
      Gen.choose(2, 30),
      Gen.choose(0, 400),
      Gen.choose(0, 400)
    ) {
      (keys, error, most, back, on) =>
        val cut = RangeCut(HaloReach(back, on, Nil, Nil), most, isForced = true)
        val ranges = Ranges.of(profile(keys, error), cut)
        assert(ranges.count <= most && ranges.last.last == Long.MaxValue)
        assertEquals(ranges.last.distinct.sorted.toSeq, ranges.last.toSeq)
        keys.foreach(k => assert(ranges.contains(ranges.rangeOf(k), k)))
        (0 until ranges.count).foreach { r =>
          val before = keys.filter(k => r > 0 && k <= ranges.last(r - 1))
          val after = keys.filter(_ > ranges.last(r))
          val reachedBefore = before.count(_ >= ranges.from(r))
          val reachedAfter = after.count(_ <= ranges.to(r))
          assert(reachedBefore >= math.min(back, before.size), s"$reachedBefore of ${before.size} before $r")
          assert(reachedAfter >= math.min(on, after.size), s"$reachedAfter of ${after.size} after $r")
          assert(ranges.isCutBefore(r) || reachedBefore == before.size)
          assert(ranges.isCutAfter(r) || reachedAfter == after.size)
        }
    }
  }

  test("distinct keys are cut evenly, few rows are not cut, and large halos give fewer ranges") {
    val keys = (0L until (1L << 20)).map(_ * 7)
    val ranks = profile(keys, 0.001)
    def cut(most: Int, back: Long): Ranges =
      Ranges.of(ranks, RangeCut(HaloReach(back, 0, Nil, Nil), most, isForced = false))
    val four = cut(200, 10)
    assertEquals(four.count, 4)
    val sizes = keys.groupBy(four.rangeOf).values.map(_.size)
    assert(sizes.max < 1.05 * sizes.min, sizes)
    assertEquals(cut(3, 10).count, 3)
    assertEquals(cut(200, 200000).count, 2)
    assertEquals(cut(200, 600000).count, 1)
    val few = RangeCut(HaloReach(3, 0, Nil, Nil), 200, isForced = false)
    assertEquals(Ranges.of(profile(keys.take(1000), 0.001), few).count, 1)
  }
}
