package chronosketch.sort

import java.util.{Arrays, SplittableRandom}

import chronosketch.Suite

class KeyMergeSuite extends Suite {

  /** Merges sorted arrays, loading a few keys of each at a time. */
  private final class ArrayMerge(sorted: IndexedSeq[Array[Long]], random: SplittableRandom)
      extends KeyMerge(sorted.size) {
    private val loaded = new Array[Int](sorted.size)
    protected def fill(run: Int): Boolean = loaded(run) < sorted(run).length && {
      keys(run) = sorted(run)
      starts(run) = loaded(run)
      loaded(run) = math.min(sorted(run).length, loaded(run) + 1 + random.nextInt(300))
      ends(run) = loaded(run)
      true
    }
  }

  SortInputs.all.foreach { case (name, input) =>
    test(s"merging sorted runs gives the keys in order: $name") {
      Seq(1, 2, 3, 11).foreach { runs =>
        val random = new SplittableRandom(runs.toLong)
        val sorted = IndexedSeq.tabulate(runs) { run =>
          val keys = Array.tabulate(if (run == 1) 0 else random.nextInt(2000))(input(random, _))
          Arrays.sort(keys)
          keys
        }
        val merge = new ArrayMerge(sorted, random)
        sorted.indices.foreach(merge.add)
        val found = Array.newBuilder[Long]
        val out = new Array[Long](1 + random.nextInt(100))
        var n = merge.next(out)
        while (n > 0) {
          assertEquals(n == out.length || merge.left == 0, true)
          found ++= out.take(n)
          n = merge.next(out)
        }
        val all = sorted.flatten.toArray
        Arrays.sort(all)
        assert(Arrays.equals(found.result(), all), s"$name, $runs runs")
      }
    }
  }
}
