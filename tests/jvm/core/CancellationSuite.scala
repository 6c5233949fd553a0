package chronosketch

import java.util.SplittableRandom

import chronosketch.domain.Domain
import chronosketch.grouped.GroupedUnions
import chronosketch.history.{HistoryBuilder, HistoryRecipe}
import chronosketch.memory.Meter
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.Phi
import chronosketch.sliding.Frames
import chronosketch.sliding.order.{BlockSort, DistinctCount, KeyCounts, Mode, Ranks}
import chronosketch.sort.{KeySort, PairSort}
import chronosketch.summary.Envelope

/** Tests that long computations check often whether they were cancelled, and end at the first check after that. */
class CancellationSuite extends Suite {
  private final class Cancelled extends RuntimeException

  private val n = 200000
  private def keys: Array[Long] = {
    val random = new SplittableRandom(7)
    Array.fill(n)(random.nextLong())
  }

  /** Runs a computation once to count its checks, and again to cancel it at the middle one. */
  private def assertChecks(least: Int)(compute: Cancellation => Unit): Unit = {
    var checks = 0
    compute(() => checks += 1)
    assert(checks >= least, s"$checks checks")
    val middle = checks / 2
    var seen = 0
    intercept[Cancelled](compute { () =>
      seen += 1
      if (seen > middle) throw new Cancelled
    })
    assertEquals(seen, middle + 1)
  }

  test("a sort of keys, which can be used again") {
    val sorter = new KeySort
    assertChecks(100)(sorter.sort(keys, n, _))
    val sorted = keys
    sorter.sort(sorted, n)
    assertEquals(sorted.toSeq, keys.sorted.toSeq)
  }

  test("a sort of pairs, which can be used again") {
    val sorter = new PairSort
    assertChecks(100)(sorter.sort(keys, Array.range(0, n), 0, n, _))
    assertChecks(100)(sorter.sort(keys, new Array[Long](n), n, _))
    val sorted = keys
    sorter.sort(sorted, Array.range(0, n), 0, n)
    assertEquals(sorted.toSeq, keys.sorted.toSeq)
  }

  /** Frames that grow with every row, so that all rows are one stretch. */
  private def growing(cancellation: Cancellation): Frames =
    new Frames(new Array[Int](n), Array.range(1, n + 1), n, cancellation)

  private val answers = new Array[Long](n)
  private val structures = Seq[(String, Frames => Unit)](
    "quantiles" -> (new BlockSort(Ranks(Phi(0.5))).slide(keys, _, answers)),
    "distinct values" -> (new DistinctCount().slide(keys, _, answers)),
    "modes" -> (new Mode().slide(keys, _, answers)),
    "counted keys" -> { frames =>
      val counts = new KeyCounts
      counts.begin(keys, null, frames)
      (0 until n).foreach(counts.moveTo)
    }
  )

  for ((name, slide) <- structures)
    test(s"the rows of one large frame: $name")(assertChecks(n / 4096)(c => slide(growing(c))))

  test("the changes of one version of a history") {
    val recipe = HistoryRecipe(Domain.BigInt, 0.01, Domain.BigInt)
    assertChecks(n / 4096) { cancellation =>
      val builder = new HistoryBuilder(recipe, cancellation)
      keys.foreach(builder.update(1L, _, 1L))
      builder.result()
      ()
    }
  }

  test("the parts of a group") {
    val parts = (0 until 50).map { part =>
      val sketch = new GreenwaldKhanna(Domain.BigInt, 0.01)
      (0 until 3000).foreach(i => sketch.insert(i * 50L + part))
      Envelope.seal(sketch)
    }
    assertChecks(parts.size) { cancellation =>
      val groups = new GroupedUnions(new Meter)
      parts.foreach(groups.keepPart(0, _))
      groups.mergeKept(0, cancellation)
    }
  }
}
