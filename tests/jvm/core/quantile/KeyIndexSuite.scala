package chronosketch.quantile

import java.util.{Arrays, SplittableRandom}

import chronosketch.Suite
import chronosketch.domain.DoubleKeys

class KeyIndexSuite extends Suite {
  private val inputs: Seq[(String, (SplittableRandom, Int) => Long)] = Seq(
    "any long" -> ((r, _) => r.nextLong()),
    "the whole range" -> ((r, i) =>
      if (i == 0) Long.MinValue else if (i == 1) Long.MaxValue else r.nextLong()
    ),
    "doubles" -> ((r, _) => DoubleKeys.key(r.nextDouble())),
    "outliers" -> ((r, i) =>
      if (i < 20) DoubleKeys.NaN - i else if (i < 40) Long.MinValue + i else r.nextInt(100000).toLong
    ),
    "two clusters" -> ((r, i) => (if (i % 2 == 0) 1L << 62 else -(1L << 62)) + r.nextInt(10000)),
    "pairs" -> ((_, i) => (i / 2).toLong),
    "all equal" -> ((_, _) => 5L)
  )

  inputs.foreach { case (name, input) =>
    test(s"finds the first key that is not less: $name") {
      Seq(3, 4, 63, 64, 65, 128, 1000, 5000).foreach { m =>
        val random = new SplittableRandom(m.toLong)
        val keys = Array.tabulate(m)(input(random, _))
        Arrays.sort(keys)
        val index = new KeyIndex(keys, m, 1L, isFine = m % 2 == 0)
        def check(key: Long): Unit = if (key > keys(0) && key <= keys(m - 1)) {
          val found = KeyIndexSuite.successor(index, key)
          assert(keys(found) >= key && keys(found - 1) < key, s"$name, $m keys: $key")
        }
        keys.foreach { key => check(key); check(key - 1); check(key + 1) }
        (0 until 1000).foreach(i => check(input(random, i)))
      }
    }
  }

  test("an index is valid for the keys that it was built from, until they change") {
    val keys = Array(1L, 2L, 3L)
    val index = new KeyIndex(keys, 3, 7L, isFine = true)
    assert(index.isOf(keys, 7L))
    assert(!index.isOf(keys, 8L))
    assert(!index.isOf(keys.clone(), 7L))
  }
}

object KeyIndexSuite {

  /** The position of one key. */
  def successor(index: KeyIndex, key: Long): Int = {
    val found = new Array[Int](1)
    index.successors(Array(key), 0, 1, found)
    found(0)
  }
}
