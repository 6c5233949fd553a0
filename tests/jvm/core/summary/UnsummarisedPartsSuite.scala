package chronosketch.summary

import java.util.SplittableRandom

import chronosketch.Suite
import chronosketch.ddsketch.DDSketches
import chronosketch.domain.Domain
import chronosketch.grouped.GroupedInserts
import chronosketch.memory.Meter
import chronosketch.quantile.QuantileRecipe

/** Tests parts that contain few values unsummarised: merging them gives the same sketch as inserting the values. */
class UnsummarisedPartsSuite extends Suite {
  private def isKeys(part: Array[Byte]): Boolean = part(0) == 0

  private def put(to: GroupedInserts, group: Int, keys: Seq[Long]): Unit =
    to.insertAll(Array.fill(keys.size)(group), keys.toArray, keys.size, group + 1)

  private def most(epsilon: Double): Int = if (epsilon == 0.0) 1024 else (4 / epsilon).toInt

  test("merging parts equals inserting their values in the order of the parts") {
    for {
      n <- Seq(1, 3, 64, 65, 399, 400, 401, 3000, 70000)
      parts <- Seq(1, 2, 5)
      epsilon <- Seq(0.0, 0.01, 0.2)
      group <- Seq(0, 30000)
    } {
      val random = new SplittableRandom(n.toLong)
      val recipe = QuantileRecipe(Domain.BigInt, epsilon)
      val united, seen = new GroupedInserts(recipe, new Meter)
      Seq.fill(n)(random.nextLong()).grouped((n + parts - 1) / parts).foreach { values =>
        val part = new GroupedInserts(recipe, new Meter)
        put(part, group, values)
        val bytes = part.sealPart(group)
        assertEquals(isKeys(bytes), values.size <= most(epsilon), s"${values.size} values, ε $epsilon")
        united.mergePart(group, bytes)
        if (isKeys(bytes)) put(seen, group, values) else seen.merge(group, part.seal(group))
      }
      assert(united.seal(group).sameElements(seen.seal(group)), s"n $n, $parts parts, ε $epsilon")
    }
  }

  test("the values of a part are inserted after the earlier input of the merging task") {
    val recipe = QuantileRecipe(Domain.BigInt, 0.01)
    val united, seen, part, large = new GroupedInserts(recipe, new Meter)
    put(large, 0, (0L until 5000L).map(_ * 7919 % 5003))
    put(part, 0, (0L until 300L).map(_ * 31 % 307))
    val before = (0L until 100L).map(_ * 37 % 101)
    Seq(united, seen).foreach { to =>
      before.foreach(to.insert(0, _))
      to.merge(0, large.seal(0))
      before.foreach(to.insert(0, _))
    }
    united.mergePart(0, part.sealPart(0))
    put(seen, 0, (0L until 300L).map(_ * 31 % 307))
    assert(united.seal(0).sameElements(seen.seal(0)))
  }

  test(
    "parts are sketches if values are few distinct ones, counted or none, after merges, and for other families"
  ) {
    val recipe = QuantileRecipe(Domain.BigInt, 0.001)
    val few, copies, empty, merged = new GroupedInserts(recipe, new Meter)
    put(few, 0, Seq.tabulate(3000)(i => i % 100L))
    (0 until 100).foreach(i => copies.insert(0, i.toLong, 1000000L))
    put(merged, 0, 0L until 3000L)
    merged.merge(0, copies.seal(0))
    val bins = new GroupedInserts(DDSketches.recipe(Domain.Double, Seq(0.01)), new Meter)
    put(bins, 0, 0L until 100L)
    Seq(few, copies, empty, merged, bins).foreach { part =>
      assert(part.sealPart(0).sameElements(part.seal(0)))
    }
  }

  test("up to 16 values are passed on unsummarised, even if they are all equal") {
    val part = new GroupedInserts(QuantileRecipe(Domain.BigInt, 0.001), new Meter)
    put(part, 0, Seq.fill(16)(5L))
    assert(isKeys(part.sealPart(0)))
    put(part, 0, Seq(5L))
    assert(!isKeys(part.sealPart(0)))
  }

  test("clear releases the memory of decoded parts") {
    val recipe = QuantileRecipe(Domain.BigInt, 0.001)
    val meter = new Meter
    val grouped = new GroupedInserts(recipe, meter)
    val part = new GroupedInserts(recipe, new Meter)
    put(part, 0, 0L until 3000L)
    val before = meter.bytes
    grouped.mergePart(0, part.sealPart(0))
    assert(meter.bytes >= before + 8 * 3000)
    grouped.clear()
    assertEquals(meter.bytes, before)
  }
}
