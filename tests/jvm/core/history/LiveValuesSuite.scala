package chronosketch.history

import java.util.SplittableRandom

import scala.collection.mutable

import chronosketch.Suite
import chronosketch.history.live.LiveValues

/** Compares live values with a sorted map, after changes of every shape. */
class LiveValuesSuite extends Suite {
  private def contents(live: LiveValues, from: Long): Vector[(Long, Long)] = {
    val all = Vector.newBuilder[(Long, Long)]
    val walk = live.walk
    walk.seek(from)
    while (!walk.atEnd) { all += walk.key -> walk.copies; walk.next() }
    all.result()
  }

  private val shapes: Seq[(String, (SplittableRandom, Int) => Long)] = Seq(
    "uniform" -> ((r, _) => r.nextLong(-5000, 5000)),
    "rising" -> ((_, i) => i.toLong),
    "falling" -> ((_, i) => -i.toLong),
    "equal" -> ((_, _) => 3L),
    "ends" -> ((r, _) => if (r.nextBoolean()) Long.MinValue + r.nextInt(3) else Long.MaxValue - r.nextInt(3))
  )

  shapes.foreach { case (name, next) =>
    test(s"$name keys, with and without copies, growing and shrinking, agree with a sorted map") {
      for (heavy <- Seq(1L, 5L); seed <- 1L to 5L) {
        val random = new SplittableRandom(seed)
        val live = new LiveValues
        val expected = mutable.TreeMap.empty[Long, Long]
        (0 until 6000).foreach { i =>
          val shrinks = i / 2000 == 1
          val key = next(random, i)
          val isDelete = random.nextInt(10) < (if (shrinks) 8 else 3) && expected.nonEmpty
          val at =
            if (!isDelete) key
            else expected.iteratorFrom(key).nextOption().orElse(expected.headOption).get._1
          val change = (1 + random.nextLong(heavy)) * (if (isDelete) -1 else 1)
          val before = expected.getOrElse(at, 0L)
          val after = math.max(0L, before + change)
          if (after == 0) expected -= at else expected(at) = after
          assertEquals(live.change(at, change), after - before)
        }
        assertEquals(contents(live, Long.MinValue), expected.toVector)
        val from = next(random, 3000)
        assertEquals(contents(live, from), expected.iteratorFrom(from).toVector)
        assertEquals((live.count, live.distinct), (expected.values.sum, expected.size.toLong))
        if (expected.nonEmpty)
          assertEquals((live.least, live.greatest), (expected.firstKey, expected.lastKey))
        expected.toVector.foreach { case (key, n) => assertEquals(live.change(key, -n - 1), -n) }
        assertEquals((live.count, live.distinct, contents(live, Long.MinValue).size), (0L, 0L, 0))
      }
    }
  }

  test("a value takes fewer than 16 bytes, sorted or not") {
    val random = new SplittableRandom(1)
    Seq[Int => Long](i => i.toLong, i => -i.toLong, _ => random.nextLong()).foreach { next =>
      val live = new LiveValues
      (0 until 200000).foreach(i => live.change(next(i), 1))
      assert(live.sizeBytes < 16 * 200000, live.sizeBytes.toString)
    }
  }
}
