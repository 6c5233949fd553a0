package chronosketch.quantile

import java.util.{Arrays, SplittableRandom}

import chronosketch.Suite
import chronosketch.counted.ElementCount
import chronosketch.domain.DoubleKeys

class CellCountsSuite extends Suite {
  private val Seed = 11L
  private val Epsilon = 0.01
  private val BagSize = 1600

  private def gaussian(random: SplittableRandom): Double =
    math.sqrt(-2 * math.log(1 - random.nextDouble())) * math.cos(2 * math.Pi * random.nextDouble())

  private val kinds: Seq[(String, SplittableRandom => Long)] = Seq(
    "lognormal" -> (r => DoubleKeys.key(math.exp(gaussian(r)))),
    "normal, of both signs" -> (r => DoubleKeys.key(gaussian(r))),
    "uniform" -> (_.nextLong()),
    "both ends" -> (r =>
      r.nextInt(400) match {
        case 0 => Long.MinValue
        case 1 => Long.MaxValue
        case _ => r.nextLong()
      }
    ),
    "a thousand whole numbers, the least most often" -> (r =>
      math.min(999, (-100 * math.log(1 - r.nextDouble())).toLong)
    ),
    "with infinities" -> (r =>
      DoubleKeys.key(if (r.nextInt(300) == 0) Double.NegativeInfinity else 1e15 + gaussian(r) * 1e14)
    )
  )

  private def draw(random: SplittableRandom, next: SplittableRandom => Long, n: Int): Array[Long] =
    Array.fill(n)(next(random))

  /** The tuples of a sketch with these values, which must be enough for cells to pay off. */
  private def summaryOf(keys: Array[Long]): Tuples = {
    val sketch = new GreenwaldKhanna(chronosketch.domain.Domain.BigInt, Epsilon)
    keys.foreach(sketch.insert(_))
    sketch.summarised
  }

  private def uniform(epsilon: Double): Tolerance = Tolerance.of(epsilon, None)

  private def cellsFor(tuples: Tuples, bag: Array[Long]): CellCounts = {
    assert(CellCounts.isWorthwhile(uniform(Epsilon), tuples, bag.length))
    uniform(Epsilon).cells(tuples, bag, bag.length)
  }

  /** Checks that the tuples give the exact number of values up to each key; the first tuple of a pair leaves out further copies. */
  private def check(tuples: Tuples, seen: Array[Long], share: Long, clue: String): Unit = {
    Arrays.sort(seen)
    assertEquals(tuples.count, seen.length.toLong, clue)
    assertEquals(tuples.gs.take(tuples.size).sum, seen.length.toLong, clue)
    var rank = 0L
    (0 until tuples.size).foreach { i =>
      val key = tuples.keys(i)
      val isPair = i > 0 && key == tuples.keys(i - 1)
      rank += tuples.gs(i)
      if (i > 0) assert(key >= tuples.keys(i - 1), clue)
      if (i > 1) assert(key > tuples.keys(i - 2), s"$clue: three of one key")
      assert(tuples.gs(i) > 0 && tuples.deltas(i) == 0L, s"$clue: tuple $i")
      assert(isPair || tuples.gs(i) <= share, s"$clue: tuple $i of ${tuples.gs(i)}")
      val first = TupleArrays.lowerBound(seen, 0, seen.length, key)
      val next =
        if (key == Long.MaxValue) seen.length else TupleArrays.lowerBound(seen, 0, seen.length, key + 1)
      assert(first < rank || isPair, s"$clue: rank $rank of tuple $i, ${first} are less")
      assert(rank <= next, s"$clue: rank $rank of tuple $i, only $next are at most that")
      val isLastOfKey = i + 1 == tuples.size || tuples.keys(i + 1) > key
      if (isLastOfKey) assertEquals(rank, next.toLong, s"$clue: tuple $i")
    }
  }

  kinds.foreach { case (name, next) =>
    test(
      s"tuples give the ranks of the counted values, and values outside the range stay in the bag: $name"
    ) {
      val random = new SplittableRandom(Seed)
      val summary = summaryOf(draw(random, next, 4000))
      val cells = cellsFor(summary, draw(random, next, BagSize))
      val outside = new Array[Long](BagSize)
      var seen = Array.emptyLongArray
      (1 to 30).foreach { i =>
        val bag = draw(random, next, BagSize)
        val before = bag.clone()
        val left = cells.add(bag, 0, BagSize, outside)
        assert(left >= 0, s"$name: crowded in bag $i")
        val (low, high) = (summary.keys(1), summary.keys(summary.size - 2))
        val (in, out) = before.partition(key => key >= low && key <= high)
        assertEquals(bag.take(left).toSeq, out.toSeq)
        seen ++= in
        assertEquals(cells.count, seen.length.toLong)
      }
      check(cells.tuples, seen, ElementCount.share(Epsilon, cells.count), name)
    }
  }

  test("a bag that would fill one cell too much is not counted, and the tuples still give exact ranks") {
    val random = new SplittableRandom(Seed)
    val next = kinds.head._2
    val summary = summaryOf(draw(random, next, 4000))
    val cells = cellsFor(summary, draw(random, next, BagSize))
    val outside = new Array[Long](BagSize)
    var seen = Array.emptyLongArray
    (1 to 10).foreach { i =>
      val bag = draw(random, next, BagSize)
      val (in, _) = bag.partition(key => key >= summary.keys(1) && key <= summary.keys(summary.size - 2))
      assert(cells.add(bag, 0, BagSize, outside) >= 0)
      seen ++= in
      val middle = DoubleKeys.key(1.0)
      // only the second half is crowded
      val crowd = Array.tabulate(BagSize)(k => if (k < BagSize / 2) next(random) else middle + (k + i) % 1000)
      val before = crowd.clone()
      assertEquals(cells.add(crowd, 0, BagSize, outside), -1)
      assertEquals(crowd.toSeq, before.toSeq)
      assertEquals(cells.count, seen.length.toLong)
      val tuples = cells.tuples
      val sorted = seen.sorted
      // the key of a tuple may be a value that is not counted: its rank is exact all the same
      (0 until tuples.size).foreach { t =>
        val atMost = TupleArrays.lowerBound(sorted, 0, sorted.length, tuples.keys(t) + 1)
        assertEquals(tuples.gs.take(t + 1).sum, atMost.toLong, s"tuple $t")
      }
      assertEquals(tuples.profile.countLow, seen.length.toLong)
    }
  }

  test("no cells are created if all values are outside the range of the tuples") {
    val random = new SplittableRandom(Seed)
    val summary = summaryOf(Array.tabulate(4000)(_.toLong))
    assertEquals(
      uniform(Epsilon).cells(summary, Array.fill(BagSize)(5000 + random.nextLong(1000)), BagSize),
      null
    )
  }

  test("cells do not pay off for few values, or for an epsilon that needs too many cells") {
    val summary = summaryOf(Array.tabulate(4000)(i => i.toLong * 7919 % 4001))
    assert(CellCounts.isWorthwhile(uniform(Epsilon), summary, BagSize))
    assert(!CellCounts.isWorthwhile(uniform(Epsilon), summary, BagSize - 1))
    assert(!CellCounts.isWorthwhile(uniform(1e-6), summary, 1 << 20))
    assert(!CellCounts.isWorthwhile(uniform(Epsilon), summaryOf(Array.tabulate(1700)(_.toLong)), BagSize))
  }
}
