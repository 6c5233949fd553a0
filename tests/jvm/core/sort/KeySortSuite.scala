package chronosketch.sort

import java.util.{Arrays, SplittableRandom}

import chronosketch.Suite

class KeySortSuite extends Suite {
  SortInputs.all.foreach { case (name, input) =>
    test(s"sorts like the JDK: $name") {
      val sorting = new KeySort // the same for all sizes, so that its scratch memory is used again
      SortInputs.sizes.foreach { n =>
        val random = new SplittableRandom(n.toLong)
        val keys = Array.tabulate(n + 3)(input(random, _))
        val expected = keys.clone()
        Arrays.sort(expected, 0, n)
        sorting.sort(keys, n)
        assert(Arrays.equals(keys, expected), s"$name, $n keys")
      }
    }
  }
}
