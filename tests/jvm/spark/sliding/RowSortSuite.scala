package chronosketch.spark.sliding

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import munit.ScalaCheckSuite

import chronosketch.spark.sliding.rows.RowSort

class RowSortSuite extends ScalaCheckSuite {
  private val key: Gen[Long] = Gen.oneOf(
    Gen.choose(-3L, 3L),
    Gen.choose(Long.MinValue, Long.MaxValue),
    Gen.oneOf(Long.MinValue, Long.MaxValue, 1L << 40, -1L << 22)
  )

  private val keys: Gen[Array[Long]] =
    Gen.choose(0, 400).flatMap(n =>
      Gen.oneOf(Gen.listOfN(n, key), Gen.listOfN(n, key).map(_.sorted)).map(_.toArray)
    )

  property("sorts a part, keys alike as they were, and leaves the rest") {
    val sorter = new RowSort
    forAll(keys, Gen.choose(0, 5), Gen.choose(0, 5)) { (keys, before, after) =>
      val (from, until) =
        (math.min(before, keys.length), math.max(math.min(before, keys.length), keys.length - after))
      val (sorted, numbers) = (keys.clone(), Array.range(0, keys.length))
      sorter.sort(sorted, numbers, from, until)
      val expected = (0 until from) ++ (from until until).sortBy(keys(_)) ++ (until until keys.length)
      assertEquals(numbers.toSeq, expected)
      assertEquals(sorted.toSeq, expected.map(keys(_)))
    }
  }
}
