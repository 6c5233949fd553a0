package chronosketch.quantile

import java.util.{Arrays, SplittableRandom}

import chronosketch.Suite
import chronosketch.domain.DoubleKeys
import chronosketch.sort.KeySort

class KeyBlocksSuite extends Suite {
  private val random = new SplittableRandom(7L)
  private def gaussian: Double =
    math.sqrt(-2 * math.log(1 - random.nextDouble())) * math.cos(2 * math.Pi * random.nextDouble())

  private val kinds: Seq[(String, () => Long)] = Seq(
    "lognormal" -> (() => DoubleKeys.key(math.exp(gaussian))),
    "uniform" -> (() => random.nextLong()),
    "small" -> (() => random.nextLong(3000L)),
    "ties" -> (() => if (random.nextInt(3) == 0) 17L else random.nextLong(1L << 40)),
    "Pareto" -> (() => DoubleKeys.key(math.pow(random.nextDouble(), -3))),
    "both ends" -> (() =>
      random.nextInt(40) match {
        case 0 => Long.MinValue
        case 1 => Long.MaxValue
        case _ => random.nextLong()
      }
    ),
    "one far away" -> (() => if (random.nextInt(5000) == 0) 1L << 60 else random.nextLong(1L << 20)),
    "with NaN" -> (() => DoubleKeys.key(if (random.nextInt(9) == 0) Double.NaN else gaussian))
  )

  /** Checks the invariants of the tuples, and that the rank of each key is within the bounds of their profile. */
  private def check(tuples: Tuples, keys: Array[Long], limit: Long, clue: String): Unit = {
    val sorted = keys.clone()
    Arrays.sort(sorted)
    assertEquals(tuples.count, keys.length.toLong, clue)
    assertEquals(tuples.keys(0), sorted(0), clue)
    assertEquals(tuples.gs(0), 1L, clue)
    assertEquals(tuples.keys(tuples.size - 1), sorted.last, clue)
    assertEquals(tuples.gs.take(tuples.size).sum, keys.length.toLong, clue)
    (0 until tuples.size).foreach { i =>
      val isPair = i > 0 && tuples.keys(i) == tuples.keys(i - 1)
      assert(
        tuples.deltas(i) == 0L && tuples.gs(i) > 0 && (isPair || tuples.gs(i) <= limit),
        s"$clue: tuple $i"
      )
      if (i > 0) assert(tuples.keys(i) >= tuples.keys(i - 1), clue)
      if (i > 1) assert(tuples.keys(i) > tuples.keys(i - 2), s"$clue: three of one key")
    }
    val profile = tuples.profile
    var i = 0
    while (i < sorted.length) {
      var last = i
      while (last + 1 < sorted.length && sorted(last + 1) == sorted(i)) last += 1
      val (low, high) = profile.rankBounds(profile.position(sorted(i)))
      assert(low <= last + 1 && last + 1 <= high, s"$clue: ${last + 1} not in $low … $high")
      i = last + 1
    }
  }

  test("tuples bound the ranks of keys of every distribution, whichever keys were processed before") {
    val blocks = new KeyBlocks(new KeySort)
    var built = 0
    for ((name, next) <- kinds; n <- Seq(256, 1000, 2001, 7500, 40000); limit <- Seq(2L, 3L, 8L, 60L)) {
      val keys = Array.fill(n)(next())
      val tuples = blocks.tuples(keys, n, limit, n / limit / 4.0)
      if (tuples != null) {
        built += 1
        check(tuples, keys, limit, s"$name, $n, $limit")
        assert(tuples.size <= 3 * n / limit + 3, s"$name, $n, $limit: ${tuples.size} tuples")
        val shuffled = keys.clone()
        (n - 1 to 1 by -1).foreach { i =>
          val j = random.nextInt(i + 1)
          val key = shuffled(i)
          shuffled(i) = shuffled(j)
          shuffled(j) = key
        }
        val again = blocks.tuples(shuffled, n, limit, n / limit / 4.0)
        assertEquals(again.keys.take(again.size).toSeq, tuples.keys.take(tuples.size).toSeq)
        assertEquals(again.gs.take(again.size).toSeq, tuples.gs.take(tuples.size).toSeq)
      }
    }
    assert(built > 80, s"built only $built times")
  }

  test("keys for which sorting is better give no tuples") {
    val blocks = new KeyBlocks(new KeySort)
    def tuples(limit: Long)(keys: Long*) = blocks.tuples(keys.toArray, keys.size, limit, 2000.0)
    assertEquals(tuples(8)(Seq.fill(5000)(3L): _*), null)
    assertEquals(tuples(1)(Seq.tabulate(5000)(_.toLong): _*), null)
    assertEquals(tuples(8)(Seq.tabulate(5000)(_ % 900L): _*), null, "few differ")
    assertEquals(tuples(8)(Seq.tabulate(5000)(i => if (i == 0) 1L << 60 else i.toLong): _*), null, "crowded")
    assertEquals(tuples(8)(1L, 2L), null)
  }
}
