package chronosketch.spark.rows

import java.util.SplittableRandom

import chronosketch.Suite
import chronosketch.memory.Meter

/** Tests that looking up keys in batches gives the same groups as looking them up one by one, for keys near each other and far apart. */
class NearKeysSuite extends Suite {
  private val Seed = 5L

  private def batches(draw: SplittableRandom => Long): Seq[Array[Long]] = {
    val random = new SplittableRandom(Seed)
    Seq.fill(40)(Array.fill(1 + random.nextInt(300))(draw(random)))
  }

  private val cases: Seq[(String, Seq[Array[Long]])] = Seq(
    "a few" -> batches(_.nextLong(1000L)),
    "around zero" -> batches(_.nextLong(2000L) - 1000L),
    "exactly the range of the table" -> batches(_.nextLong(65536L)),
    "one more than the range of the table" -> batches(_.nextLong(65537L)),
    "near Long.MaxValue" -> batches(Long.MaxValue - _.nextLong(500L)),
    "near Long.MinValue" -> batches(Long.MinValue + _.nextLong(500L)),
    "at both ends of Long" -> batches(r =>
      if (r.nextBoolean()) Long.MinValue + r.nextLong(5L) else Long.MaxValue - r.nextLong(5L)
    ),
    "any keys" -> batches(_.nextLong()),
    "rising" -> Seq.tabulate(50)(b => Array.tabulate(100)(i => b * 100L + i)),
    "falling" -> Seq.tabulate(50)(b => Array.tabulate(100)(i => -b * 100L - i)),
    "near, then far, then near" -> (batches(_.nextLong(100L)) ++ batches(_.nextLong()) ++ batches(
      _.nextLong(100L)
    ))
  )

  cases.foreach { case (name, all) =>
    test(s"$name: a batch of keys gets the same groups as one key after the other") {
      val together, single = new LongKeys(new Meter)
      val groups = new Array[Int](400)
      // repeat after clear
      (1 to 2).foreach { _ =>
        all.foreach { keys =>
          together.findAll(keys, keys.length, groups)
          assertEquals(groups.take(keys.length).toSeq, keys.toSeq.map(single.find(_)))
        }
        assertEquals(together.size, single.size)
        (0 until together.size).foreach(g => assertEquals(together.key(g), single.key(g)))
        // keys that were inserted in a batch are found one by one, too
        all.head.foreach(key => assertEquals(together.find(key), single.find(key)))
        together.clear()
        single.clear()
      }
    }
  }

  test("the memory of the table is metered, and released by clear") {
    val meter = new Meter
    val keys = new LongKeys(meter)
    val before = meter.bytes
    keys.findAll(Array(0L, 60000L), 2, new Array[Int](2))
    assert(meter.bytes >= before + 4L * 60000, s"${meter.bytes} after $before")
    keys.clear()
    assertEquals(meter.bytes, before)
  }
}
