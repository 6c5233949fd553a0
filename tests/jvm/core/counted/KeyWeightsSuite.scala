package chronosketch.counted

import java.util.SplittableRandom

import scala.collection.mutable.TreeMap

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.CheckSuite

class KeyWeightsSuite extends CheckSuite {

  /** A reference implementation: a map from key to weight, the greatest key first. */
  private final class SortedMapWeights {
    private val held = new TreeMap[Long, Long]()(Ordering[Long].reverse)

    def add(key: Long, weight: Long): Unit = held(key) = held.getOrElse(key, 0L) + weight
    def remove(key: Long, weight: Long): Unit =
      if (held(key) == weight) held -= key else held(key) -= weight
    def total: Long = held.values.sum
    def seek(weight: Long): Long = {
      var rest = weight
      held.iterator.find { case (_, w) => rest -= w; rest <= 0 }.get._1
    }
  }

  private val keys = Gen.oneOf(Gen.choose(-9L, 9L), Gen.oneOf(Long.MinValue, Long.MaxValue), Gen.long)

  property("seek finds the same key as a sorted map after any additions and removals") {
    forAll(Gen.listOf(Gen.zip(keys, Gen.choose(1L, 5L), Gen.oneOf(true, false)))) { steps =>
      val (fast, slow) = (new KeyWeights, new SortedMapWeights)
      steps.foreach { case (key, weight, _) => fast.add(key, weight); slow.add(key, weight) }
      steps.filter(_._3).foreach { case (key, weight, _) =>
        fast.remove(key, weight); slow.remove(key, weight)
      }
      assertEquals(fast.total, slow.total)
      (1L to slow.total).foreach(w => assertEquals(fast.seek(w), slow.seek(w)))
    }
  }

  test("blocks are split and merged while keys rise, fall or are random; cleared, they can be filled again") {
    val random = new SplittableRandom(3)
    val (fast, slow) = (new KeyWeights, new SortedMapWeights)
    val present = new scala.collection.mutable.ArrayDeque[(Long, Long)]
    def removeOldest(): Unit = {
      val (key, weight) = present.removeHead()
      fast.remove(key, weight)
      slow.remove(key, weight)
    }
    val trends =
      Seq[Int => Long](i => i.toLong, i => -3L * i, _ => random.nextLong(), _ => random.nextLong(900))
    trends.foreach { key =>
      (0 until 12000).foreach { i =>
        val next = (key(i), 1L + random.nextInt(3))
        present.append(next)
        fast.add(next._1, next._2)
        slow.add(next._1, next._2)
        if (present.size > 8000) removeOldest()
        if (i % 997 == 0)
          Seq(1L, slow.total / 3 + 1, slow.total).foreach(w => assertEquals(fast.seek(w), slow.seek(w)))
      }
    }
    while (present.size > 5) removeOldest()
    (1L to slow.total).foreach(w => assertEquals(fast.seek(w), slow.seek(w)))
    fast.clear()
    assertEquals(fast.total, 0L)
    (1L to 2000L).foreach(fast.add(_, 2L))
    assertEquals((fast.total, fast.seek(1L), fast.seek(3L), fast.seek(4000L)), (4000L, 2000L, 1999L, 1L))
  }
}
