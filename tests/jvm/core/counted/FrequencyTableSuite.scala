package chronosketch.counted

import org.scalacheck.Gen
import org.scalacheck.Prop._

import chronosketch.CheckSuite
import chronosketch.domain.DoubleKeys

class FrequencyTableSuite extends CheckSuite {
  private def counted(table: FrequencyTable): Seq[(Long, Long)] = {
    val sorted = table.sorted
    sorted.keys.toSeq.zip(sorted.counts)
  }

  private val near = Gen.oneOf(
    Gen.choose(-40L, 40L),
    Gen.choose(0L, 40L).map(_ << 58),
    Gen.choose(-40L, 40L).map(i => DoubleKeys.key(i / 8.0)),
    Gen.oneOf(Long.MinValue, Long.MaxValue, 0L),
    Gen.long
  )
  private val rows =
    Gen.listOf(Gen.zip(near, Gen.frequency(5 -> Gen.const(1L), 1 -> Gen.choose(1L, 1L << 40))))

  private def table(rows: Seq[(Long, Long)]): FrequencyTable = {
    val t = new FrequencyTable
    rows.foreach { case (key, copies) => t.add(key, copies) }
    t
  }

  private def expected(rows: Seq[(Long, Long)]): Seq[(Long, Long)] =
    rows.groupMapReduce(_._1)(_._2)(_ + _).toSeq.sorted

  property("counts each key, and returns the keys in order") {
    forAll(rows) { rows =>
      val t = table(rows)
      assertEquals(counted(t), expected(rows))
      assertEquals(t.distinct, expected(rows).size)
    }
  }

  property("adding another table does not change it; clear removes all counts") {
    forAll(rows, rows) { (a, b) =>
      val (left, right) = (table(a), table(b))
      left.addAll(right)
      assertEquals(counted(left), expected(a ++ b))
      assertEquals(counted(right), expected(b))
      left.clear()
      assertEquals(counted(left), Nil)
      left.addAll(right)
      assertEquals(counted(left), expected(b))
    }
  }

  property("finds keys at ranks from either end") {
    forAll(Gen.listOf(Gen.zip(near, Gen.choose(1L, 9L))).suchThat(_.nonEmpty), Gen.choose(1L, 7L)) {
      (rows, step) =>
        val all = rows.flatMap { case (key, copies) => Seq.fill(copies.toInt)(key) }.sorted
        val sorted = table(rows).sorted
        assertEquals(all.indices.map(i => sorted.at(i + 1L)).toList, all)
        val ranks = 1L to all.size.toLong by step
        assertEquals(
          sorted.fromTop(1L, step, ranks.size).toSeq,
          ranks.map(r => all(all.size - r.toInt))
        )
    }
  }

  test("a million multiples of a power of two, and the union of many large tables") {
    val wide = new FrequencyTable
    (1L to 1000000L).foreach(i => wide.add(i << 20, 1L))
    assertEquals(wide.distinct, 1000000)
    val all = new FrequencyTable
    (0L until 16L).foreach { part =>
      val t = new FrequencyTable
      (0L until 60000L).foreach(i => t.add(part * 50000 + i, 1L))
      all.addAll(t)
    }
    val sorted = all.sorted
    assertEquals(sorted.keys.toSeq, 0L until 810000L)
    assertEquals(sorted.counts.sum, 16L * 60000)
  }
}
