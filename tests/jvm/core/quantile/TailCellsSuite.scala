package chronosketch.quantile

import java.util.SplittableRandom

import chronosketch.Suite
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.rank.Tail
import chronosketch.summary.{Distribution, Distributions, ExactBag}

/** Tests counting in cells for sketches of a tail. */
class TailCellsSuite extends Suite {
  private val Seed = 46L
  private val Epsilon = 0.05
  private val BagSize = 16 * 200
  private val Seen = 64 * 200

  private def tolerance(tail: Tail): TailTolerance = new TailTolerance(Epsilon, tail)

  private def sketch(tail: Tail, keys: Array[Long], domain: Domain = Domain.BigInt): GreenwaldKhanna = {
    val s = QuantileRecipe(domain, Epsilon, QuantileFamily.of(Some(tail))).empty
    s.insertAll(keys, 0, keys.length)
    s
  }

  /** A sketch's tuples, and cells for more values. */
  private def cellsAfter(tail: Tail, d: Distribution, seed: Long): (Tuples, CellCounts) = {
    val tuples = sketch(tail, d.sample(Seen, seed)).summarised
    val bag = d.sample(BagSize, seed + 1)
    assert(CellCounts.isWorthwhile(tolerance(tail), tuples, BagSize))
    (tuples, tolerance(tail).cells(tuples, bag, BagSize))
  }

  /** The union of tuples with cells and with the values outside. */
  private def union(tuples: Tuples, cells: CellCounts, outside: Array[Long]): Tuples = {
    val united = new UnitedTuples
    united.combineWithin(tuples, cells.tuples, cells.least)
    val whole = new Tuples
    whole.count = tuples.count + cells.count
    whole.reserve(united.length)
    whole.assign(united)
    val sorted = outside.sorted
    united.insert(whole, sorted, sorted.length)
    val all = new Tuples
    all.count = whole.count + sorted.length
    all.reserve(united.length)
    all.assign(united)
    all
  }

  for (d <- Distributions.random; tail <- Tail.all)
    test(s"nearly all values are counted, and the union keeps the promise: ${d.name}, $tail") {
      val (tuples, cells) = cellsAfter(tail, d, Seed)
      val room = new Array[Long](BagSize)
      var outside = Array.emptyLongArray
      for (i <- 0 until 40) {
        val bag = d.sample(BagSize, Seed + 2 + i)
        val left = cells.add(bag, 0, BagSize, room)
        assert(left >= 0, s"bag $i is crowded")
        outside ++= bag.take(left)
        // after few bags the limits are the narrowest
        if (i < 3 || i == 39) assert(tolerance(tail).holds(union(tuples, cells, outside)), s"bag $i")
      }
      assertEquals(cells.count + outside.length, 40L * BagSize)
      assert(outside.length <= 40 * BagSize / 6, s"${outside.length} outside")
      val all = union(tuples, cells, outside)
      val seen = ExactBag.of(Seq.tabulate(40)(i =>
        d.sample(BagSize, Seed + 2 + i)
      ).toArray.flatten ++ d.sample(Seen, Seed))
      assertEquals(TailCertificate.wideGaps(all.profile, tail, Epsilon), Nil)
      assertEquals(chronosketch.summary.Certificate.violations(all.profile, seen), Nil)
    }

  test("a bag that crowds a cell is not counted") {
    for (tail <- Tail.all) {
      val d = Distributions.random(1)
      val (_, cells) = cellsAfter(tail, d, Seed)
      val room = new Array[Long](BagSize)
      assert(cells.add(d.sample(BagSize, Seed + 2), 0, BagSize, room) >= 0)
      val counted = cells.count
      val middle = DoubleKeys.key(1.0)
      val crowd = Array.tabulate(BagSize)(i => middle + i)
      assertEquals(cells.add(crowd, 0, BagSize, room), -1)
      assertEquals(crowd.toSeq, Seq.tabulate(BagSize)(middle + _))
      assertEquals(cells.count, counted)
    }
  }

  test("there are no cells beside tuples that leave them no room") {
    for (tail <- Tail.all) {
      val d = Distributions.random(1)
      val tuples = sketch(tail, d.sample(Seen, Seed)).summarised
      val bag = d.sample(BagSize, Seed + 1)
      assert(tolerance(tail).cells(tuples, bag, BagSize) != null, s"$tail")
      val thinned = new UnitedTuples
      thinned.combine(tuples, new Tuples)
      tolerance(tail).thinning(thinned).drop(GapLimits.Whole, DenseGaps.none)
      tuples.assign(thinned)
      assert(tolerance(tail).cells(tuples, bag, BagSize) == null, s"$tail")
    }
  }

  test("sketches stay certified if cells are interrupted by merges, counts, queries and other values") {
    val random = new SplittableRandom(Seed)
    for (round <- 0 until 12; tail <- Tail.all) {
      val s = sketch(tail, Array.emptyLongArray, Domain.Double)
      val seen = Array.newBuilder[Long]
      def insert(d: Distribution, n: Int): Unit = {
        val keys = d.sample(n, random.nextLong())
        s.insertAll(keys, 0, n)
        seen ++= keys
      }
      val usual = Distributions.random(round % 3)
      for (_ <- 0 until 6) {
        insert(usual, 20000 + random.nextInt(20000))
        random.nextInt(4) match {
          case 0 =>
            val parts =
              Seq.fill(1 + random.nextInt(40))(usual.sample(random.nextInt(4000), random.nextLong()))
            parts.foreach { keys => s.merge(sketch(tail, keys, Domain.Double)); seen ++= keys }
          case 1 =>
            val keys = usual.sample(300, random.nextLong())
            keys.foreach { key => s.insert(key, 20L); seen ++= Array.fill(20)(key) }
          case 2 => insert(Distributions.random(3), 3000)
          case _ => s.profile
        }
      }
      val found = TailCertificate.violations(s, ExactBag.of(seen.result()))
      assertEquals(found.take(3), Nil, s"$tail, round $round, seed $Seed")
    }
  }
}
