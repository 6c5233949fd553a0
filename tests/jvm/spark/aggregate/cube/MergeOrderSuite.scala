package chronosketch.spark.aggregate.cube

import scala.collection.mutable
import scala.util.Random

import chronosketch.{Cases, Suite}

/** Tests in which order grouping sets are merged from one another. */
class MergeOrderSuite extends Suite {

  /** How often a finest group reaches each grouping set, and the merges that its way takes. */
  private def reached(keys: Int, sets: Seq[Long]): (Map[Long, Int], Int) = {
    var at = Map((1L << keys) - 1 -> 1)
    var merges = 0
    MergeOrder.of(keys, sets).foreach { step =>
      val after = mutable.Map.empty[Long, Int].withDefaultValue(0)
      at.foreach { case (set, times) =>
        if (step.keep(set)) after(set) += times
        if (step.merge(set)) { after(set & ~step.keys) += times; merges += times }
      }
      at = after.toMap
    }
    (at, merges)
  }

  test("each finest group is in each grouping set once, and in no other set") {
    val random = new Random(1)
    (1 to Cases.of(300)).foreach { _ =>
      val keys = 1 + random.nextInt(6)
      val all = (1L << keys) - 1
      val sets = all +: Seq.fill(random.nextInt(8))(random.nextLong() & all)
      assertEquals(reached(keys, sets)._1, sets.distinct.map(_ -> 1).toMap, s"$keys keys, sets $sets")
    }
  }

  test("a CUBE merges each set once, from a set with one key more") {
    (1 to 6).foreach { keys =>
      val (at, merges) = reached(keys, 0L until (1L << keys))
      assertEquals(at.size, 1 << keys)
      assertEquals(merges, (1 << keys) - 1)
    }
  }

  test("a CUBE of keys with 12, 40, 3 and 4 values makes 32 400 merges") {
    val values = Seq(12, 40, 3, 4)
    def groups(set: Long): Int = values.indices.filter(i => (set & (1L << i)) != 0).map(values).product
    assertEquals(MergeOrder.of(4, 0L until 16L).flatMap(_.merge.toSeq.map(groups)).sum, 32400)
  }

  test("a ROLLUP takes the last key away first") {
    val steps = MergeOrder.of(3, Seq(7L, 3L, 1L, 0L))
    assertEquals(steps.map(_.keys), Seq(4L, 2L, 1L))
    assertEquals(steps.map(_.keep), Seq(Set(7L), Set(7L, 3L), Set(7L, 3L, 1L)))
    assertEquals(steps.map(_.merge), Seq(Set(7L), Set(3L), Set(1L)))
  }

  test("keys of all sets take no step") {
    assertEquals(MergeOrder.of(3, Seq(7L, 5L)).map(_.keys), Seq(2L))
  }

  test("keys that the same sets have are taken away together, without groups that no set needs") {
    assertEquals(MergeOrder.of(3, Seq(7L, 0L)), Seq(MergeOrder.Step(7L, Set(7L), Set(7L))))
    assertEquals(MergeOrder.of(3, Seq(7L, 1L, 0L)).map(_.keys), Seq(6L, 1L))
  }
}
