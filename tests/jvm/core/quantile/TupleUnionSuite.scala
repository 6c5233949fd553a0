package chronosketch.quantile

import java.util.SplittableRandom

import chronosketch.Suite
import chronosketch.counted.SortedKeys
import chronosketch.domain.Domain
import chronosketch.summary.{Certificate, ExactBag}

/** Tests that many sketches and keys can be united into one sketch at once, with a certified error. */
class TupleUnionSuite extends Suite {
  private val random = new SplittableRandom(20260202L)

  private def values(n: Int, distinct: Int): Array[Long] = Array.fill(n)(random.nextInt(distinct).toLong)

  private def inOrder(keys: Array[Long]): SortedKeys = new SortedKeys(keys.sorted, keys.length)

  test(
    "any number of sketches and keys: a certified error within epsilon, and at most as many tuples as requested"
  ) {
    for {
      epsilon <- Seq(0.0, 0.01, 0.1)
      parts <- Seq(0, 1, 2, 5, 16)
      distinct <- Seq(1, 2, 30, Int.MaxValue)
      loose <- Seq(0, 1, 700)
      ends <- Seq(0.0, math.min(0.5, 4 * epsilon))
    } {
      val union = new TupleUnion(Domain.BigInt, epsilon)
      val rows = Seq.fill(parts)(values(1 + random.nextInt(3000), distinct))
      rows.foreach { part =>
        val sketch = new GreenwaldKhanna(Domain.BigInt, epsilon / 2)
        sketch.insertAll(part, 0, part.length)
        union.add(sketch)
      }
      val keys = values(loose, distinct)
      val seen = rows.flatten.toArray ++ keys
      val most = if (epsilon == 0.0) Int.MaxValue else (3 / epsilon).toInt
      val whole = union.summary(inOrder(keys), ends, _ => most)
      val what = s"ε $epsilon, $parts parts of $distinct values, $loose keys, ends of $ends"
      assert(union.isEmpty)
      assertEquals(whole.count, seen.length.toLong, what)
      assertEquals(Certificate.violations(whole.profile, ExactBag.of(seen)), Nil, what)
      if (seen.nonEmpty) assert(whole.profile.rankError <= epsilon, s"$what: ${whole.profile.rankError}")
      assert(whole.tuples <= math.max(most, 8), s"$what: ${whole.tuples} tuples")
      if (parts == 0 && loose <= most) assert(whole.profile.isExact, what)
    }
  }

  test("keys without sketches lose no more precision than thinning their exact tuples would") {
    for (n <- Seq(5, 17, 100, 999, 4000); most <- Seq(6, 20, 150); distinct <- Seq(3, 40, Int.MaxValue)) {
      val keys = values(n, distinct)
      val ofKeys = new TupleUnion(Domain.BigInt, 0.25)
      val ofSketch = new TupleUnion(Domain.BigInt, 0.25)
      val sketch = new GreenwaldKhanna(Domain.BigInt, 0.0)
      sketch.insertAll(keys, 0, n)
      ofSketch.add(sketch)
      val fast = ofKeys.summary(inOrder(keys), 0.0, _ => most)
      val slow = ofSketch.summary(inOrder(Array.emptyLongArray), 0.0, _ => most)
      val what = s"$n keys of $distinct, $most tuples"
      assertEquals(fast.count, slow.count, what)
      assert(fast.tuples <= math.max(most, slow.tuples), s"$what: ${fast.tuples} and ${slow.tuples} tuples")
      assert(fast.profile.certifiedError <= slow.profile.certifiedError, what)
      assertEquals(Certificate.violations(fast.profile, ExactBag.of(keys)), Nil, what)
    }
  }

  private type Tuple = (Long, Long, Long)

  /** A slow reference implementation of [[Thinning.dropTo]] with a limit that rises from either end. */
  private def dropped(tuples: Vector[Tuple], limit: Long, ends: Long): List[Tuple] = {
    def weight(some: Seq[Tuple]): Long = some.map(_._2).sum
    def room(r: Int): Long = {
      val before = weight(tuples.take(r))
      val after = weight(tuples.drop(r + 1))
      val near =
        if (before < ends) before + tuples(r)._2 else if (after < ends) after else ends
      if (near >= ends) limit else (limit * (0.5 + 0.5 / ends * near)).toLong
    }
    val kept = (tuples.size - 2 to 1 by -1).foldLeft(List(tuples.last)) { (successors, r) =>
      val (key, g, delta) = tuples(r)
      val (next, gNext, deltaNext) = successors.head
      val isPair = key == next
      val joined = if (isPair) math.max(0L, delta - gNext) else deltaNext
      if (g + gNext + joined <= room(r) && !(isPair && successors.size == 1))
        (next, g + gNext, joined) :: successors.tail
      else tuples(r) :: successors
    }
    tuples.head :: kept
  }

  test("near the ends tuples are dropped within a lower limit, as by the reference implementation") {
    for (n <- Seq(3, 10, 200, 3000); distinct <- Seq(2, 50, Int.MaxValue); limit <- Seq(2L, 9L, 60L)) {
      val parts = Seq.fill(2) {
        // so few tuples that the ranks in the union are uncertain
        val few = new TupleUnion(Domain.BigInt, 0.05)
        few.summary(inOrder(values(n, distinct)), 0.0, _ => math.max(4, n / 3)).summarised
      }
      for (ends <- Seq(0L, 1L, n / 10L, n.toLong, 5L * n)) {
        val union = new UnitedTuples
        def unitedTuples: Vector[Tuple] = {
          val tuples = new Tuples
          tuples.assign(union)
          Vector.tabulate(tuples.size)(i => (tuples.keys(i), tuples.gs(i), tuples.deltas(i)))
        }
        union.combine(parts.head, parts.last)
        val all = unitedTuples
        union.combine(parts.head, parts.last)
        // no limit leaves only one tuple, so the greatest one is used
        new UniformThinning(union, ends).dropTo(1, limit)
        assertEquals(
          unitedTuples,
          dropped(all, limit, ends).toVector,
          s"$n of $distinct, limit $limit, ends $ends"
        )
      }
    }
  }

  test("hardly more tuples are dropped than requested, whatever their g and Δ are") {
    // the limit is guessed from a part of the tuples, so they differ in g, in Δ, and from one stretch to the next
    val kinds = Seq[(String, Int => (Long, Long))](
      "equal" -> (_ => (10L, 30L)),
      "random g and Δ" -> (_ => (1L + random.nextInt(100), random.nextInt(200).toLong)),
      "half of them certain" -> (i => if (i < 10000) (1L, 0L) else (20L, 150L)),
      "in waves" -> (i => (if (i / 2500 % 2 == 0) 1L else 40L, 100L))
    )
    for ((kind, tuple) <- kinds; target <- Seq(1000, 2500, 10000); ends <- Seq(0L, 20000L)) {
      val tuples = new Tuples
      tuples.reserve(20000)
      (0 until 20000).foreach { i =>
        val (g, delta) = tuple(i)
        tuples.keys(i) = i.toLong
        tuples.gs(i) = g
        tuples.deltas(i) = if (i == 0 || i == 19999) 0L else delta
      }
      tuples.size = 20000
      def left(most: Long): Int = {
        val union = new UnitedTuples
        union.combine(tuples, new Tuples)
        new UniformThinning(union, ends).dropTo(target, most)
        union.length
      }
      // find the least limit that leaves few enough tuples: if no greater one is allowed, dropTo uses it
      val widest = (1 until 19999).map(i => tuples.gs(i) + tuples.deltas(i)).max
      var (low, high) = (widest, 100000L)
      while (low < high) {
        val middle = (low + high) / 2
        if (left(middle) <= target) high = middle else low = middle + 1
      }
      val what = s"$kind, $target requested, ends $ends"
      assert(left(Long.MaxValue) <= target, what)
      assert(
        left(Long.MaxValue) >= 0.85 * left(low),
        s"$what: ${left(Long.MaxValue)} left, where ${left(low)} would do"
      )
    }
  }
}
