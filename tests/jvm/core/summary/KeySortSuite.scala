package chronosketch.summary

import java.util.{Arrays, SplittableRandom}

import chronosketch.domain.DoubleKeys
import chronosketch.sort.KeySort

class KeySortSuite extends munit.FunSuite {
  private val sizes = Seq(0, 1, 2, 39, 40, 41, 64, 255, 1000, 4096, 50000)

  private val inputs: Seq[(String, (SplittableRandom, Int) => Long)] = Seq(
    "any long" -> ((r, _) => r.nextLong()),
    "uniform doubles" -> ((r, _) => DoubleKeys.key(r.nextDouble())),
    "few values" -> ((r, _) => r.nextInt(7).toLong),
    "all equal" -> ((_, _) => -3L),
    "two far apart" -> ((r, _) => if (r.nextBoolean()) Long.MinValue else Long.MaxValue),
    "outliers" -> ((r, i) =>
      if (i % 50 == 0) DoubleKeys.NaN else if (i % 50 == 1) Long.MinValue else r.nextInt(1000).toLong
    ),
    "clusters in clusters" -> ((r, _) => r.nextLong() >>> r.nextInt(64)),
    "a crowd at each power of two" -> ((r, i) => (1L << (i % 63)) + r.nextInt(3)),
    "ascending" -> ((_, i) => i.toLong),
    "descending" -> ((_, i) => -i.toLong),
    "saw" -> ((_, i) => (i % 100).toLong)
  )

  inputs.foreach { case (name, input) =>
    test(s"sorts as the JDK does: $name") {
      val sorting = new KeySort // one for all sizes: its room is used again
      sizes.foreach { n =>
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
