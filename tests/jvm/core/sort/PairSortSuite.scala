package chronosketch.sort

import java.util.SplittableRandom

import org.scalacheck.Gen
import org.scalacheck.Prop.forAll

import chronosketch.CheckSuite

class PairSortSuite extends CheckSuite {
  private val key: Gen[Long] = Gen.oneOf(
    Gen.choose(-3L, 3L),
    Gen.choose(Long.MinValue, Long.MaxValue),
    Gen.oneOf(Long.MinValue, Long.MaxValue, 1L << 40, -1L << 22)
  )

  private val keys: Gen[Array[Long]] =
    Gen.choose(0, 400).flatMap(n =>
      Gen.oneOf(Gen.listOfN(n, key), Gen.listOfN(n, key).map(_.sorted)).map(_.toArray)
    )

  property("sorts a part stably and leaves the rest unchanged") {
    val sorter = new PairSort
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

  SortInputs.all.foreach { case (name, input) =>
    test(s"keeps pairs together and equal keys in their order: $name") {
      val sorter = new PairSort // the same for all sizes, so that its scratch memory is used again
      SortInputs.sizes.foreach { n =>
        val random = new SplittableRandom(n.toLong)
        val keys = Array.tabulate(n)(input(random, _))
        val (sorted, numbers) = (keys.clone(), Array.range(0, n))
        sorter.sort(sorted, numbers, 0, n)
        val expected = Array.range(0, n).sortBy(keys(_)) // stable
        assert(numbers.sameElements(expected), s"$name, $n keys")
        assert(sorted.sameElements(expected.map(keys(_))), s"$name, $n keys")
      }
    }
  }

  property("sorts pairs of a key and a long") {
    val key = Gen.oneOf(Gen.long, Gen.choose(-300L, 300L), Gen.oneOf(Long.MinValue, Long.MaxValue, 0L))
    forAll(Gen.listOf(key)) { list =>
      val (sorted, carried) = (list.toArray, list.indices.map(_.toLong).toArray)
      new PairSort().sort(sorted, carried, sorted.length)
      assertEquals(sorted.zip(carried).toList, list.zipWithIndex.map { case (k, i) => (k, i.toLong) }.sorted)
    }
  }
}
