package chronosketch.spark.history.operator

import scala.collection.mutable
import scala.util.Random

import chronosketch.Suite
import chronosketch.memory.Meter

/** Compares PendingEnds with a list of the ends that are still to come. */
class PendingEndsSuite extends Suite {
  private type End = (Long, Long, Long)

  private def first(ends: PendingEnds): End = (ends.version, ends.key, ends.change)

  test("the earliest end is first, with its key and change, after any adds and removes") {
    val random = new Random(7)
    (1 to 200).foreach { round =>
      val ends = new PendingEnds
      val left = mutable.ArrayBuffer.empty[End]
      val spread = 1 + random.nextInt(40)
      (1 to 300).foreach { i =>
        if (left.isEmpty || random.nextInt(5) < 3) {
          val end = (random.nextInt(spread).toLong - 5, i.toLong, -i.toLong * round)
          ends.add(end._1, end._2, end._3)
          left += end
        } else {
          val earliest = first(ends)
          assertEquals(earliest._1, left.map(_._1).min)
          assert(left.contains(earliest))
          left -= earliest
          ends.removeFirst()
        }
        assertEquals(ends.isEmpty, left.isEmpty)
      }
    }
  }

  test("extreme versions, and ends added in ascending or descending order") {
    val versions = Seq(Long.MaxValue, 3L, Long.MinValue, -1L, Long.MaxValue, 0L)
    Seq(versions, versions.sorted, versions.sorted.reverse).foreach { given =>
      val ends = new PendingEnds
      given.foreach(v => ends.add(v, v, 1L))
      val out = Iterator.continually(ends).takeWhile(!_.isEmpty).map { e =>
        val v = e.version
        assertEquals(e.key, v)
        e.removeFirst()
        v
      }.toSeq
      assertEquals(out, given.sorted)
    }
  }

  test("memory is metered") {
    val (ends, meter) = (new PendingEnds, new Meter)
    ends.meteredBy(meter)
    (1L to 1000L).foreach(i => ends.add(i, i, i))
    assert(meter.bytes >= 24000 && meter.bytes < 48000, meter.bytes.toString)
  }
}
