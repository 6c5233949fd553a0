package chronosketch.quantile

import java.util.SplittableRandom

import chronosketch.Suite
import chronosketch.rank.Tail
import chronosketch.sort.KeySort
import chronosketch.summary.{Distributions, ExactBag}

/** Tests the tuples of tail sketches that are built from unsorted keys. */
class TailBlocksSuite extends Suite {
  private val Seed = 19L

  private def tuples(keys: Array[Long], tail: Tail, epsilon: Double, share: Long): Tuples =
    new TailBlocks(KeySort.ofThread).tuples(
      keys.clone(),
      keys.length,
      tail,
      new GapLimits(epsilon, share),
      0.0
    )

  test("all ranks are certain, all gaps are within the limits, and most inputs need no sort") {
    val built = for {
      d <- Distributions.all
      n <- Seq(300, 6400, 70000)
      tail <- Tail.all
      share <- Seq(GapLimits.Whole / 8, GapLimits.Whole)
    } yield {
      val keys = d.sample(n, Seed)
      val what = s"${d.name}, n $n, $tail, share $share"
      val all = tuples(keys, tail, 0.01, share)
      if (all == null) None
      else {
        val seen = ExactBag.of(keys)
        val limits = new GapLimits(0.01, share)
        assertEquals(
          (all.keys(0), all.keys(all.size - 1), all.count),
          (seen.keys.head, seen.keys.last, n.toLong),
          what
        )
        assertEquals(all.gs(0), 1L, what)
        var rank = 0L
        for (i <- 0 until all.size) {
          val (key, g) = (all.keys(i), all.gs(i))
          val isFirst = i == 0 || all.keys(i - 1) != key
          assertEquals(all.deltas(i), 0L, what)
          assert(g >= 1 && (isFirst || i < 2 || all.keys(i - 2) != key), s"$what: tuple $i")
          if (isFirst)
            assert(g - 1 <= limits.spare(tail.nearer(rank, n - rank - g + 1)), s"$what: gap $i of $g")
          rank += g
          assert(seen.rank(key - 1) < rank && rank <= seen.rank(key), s"$what: tuple $i has rank $rank")
        }
        assertEquals(rank, n.toLong, what)
        Some(d.name)
      }
    }
    assert(built.flatten.toSet.size >= 10, built.flatten.toSet)
  }

  test("the tuples do not depend on the order of the keys, nor on earlier calls") {
    val random = new SplittableRandom(Seed)
    val blocks = new TailBlocks(KeySort.ofThread)
    val limits = new GapLimits(0.02, GapLimits.Whole / 2)
    for (_ <- 0 until 20; tail <- Tail.all) {
      val keys = Array.fill(1000 + random.nextInt(9000))(math.exp(20 * random.nextDouble()).toLong)
      def list(order: Array[Long]): Seq[(Long, Long)] = {
        val t = blocks.tuples(order, order.length, tail, limits, 0.0)
        if (t == null) Nil else (0 until t.size).map(i => (t.keys(i), t.gs(i)))
      }
      assertEquals(list(keys.sorted), list(keys.clone()))
    }
  }

  test("keys of few parts, equal keys and few keys are left to sorting") {
    val limits = new GapLimits(0.01, GapLimits.Whole)
    def isBuilt(keys: Array[Long], fewest: Double): Boolean =
      new TailBlocks(KeySort.ofThread).tuples(keys, keys.length, Tail.High, limits, fewest) != null
    val many = Array.tabulate(4000)(i => i * 7919L % 100003)
    assert(isBuilt(many.clone(), 200))
    assert(!isBuilt(many.clone(), 4000))
    assert(!isBuilt(Array.fill(4000)(7L), 0))
    assert(!isBuilt(many.take(200), 0))
    assert(!isBuilt(Array.tabulate(4000)(i => (i % 3) * 1000L), 2))
  }
}
