package chronosketch.quantile

import java.util.{Arrays, SplittableRandom}

import chronosketch.{Cases, Pairs, Suite}
import chronosketch.domain.Domain
import chronosketch.summary.{Certificate, Distributions, ExactBag}

/** Tests input from several sources that each rise or fall: certified answers, few tuples, and dense gaps that are found and kept. */
class DenseGapsSuite extends Suite {
  private val Seed = 11L

  import chronosketch.summary.TupleChecks.Tuple

  private def sketch(epsilon: Double, keys: Array[Long]): GreenwaldKhanna = {
    val s = new GreenwaldKhanna(Domain.BigInt, epsilon)
    keys.foreach(s.insert(_))
    s
  }

  private def assertSmall(s: GreenwaldKhanna, keys: Array[Long], most: Double, what: String): Unit = {
    assertEquals(Certificate.violations(s, ExactBag.of(keys), merged = false).take(3), Nil, what)
    assert(s.tuples * s.epsilon <= most, s"$what: ${s.tuples * s.epsilon}/ε tuples")
  }

  /** n values of `count` sources in turn. Each source rises or falls through a range of its own; `noise` is how far a value may stray. */
  private def sources(n: Int, count: Int, noise: Int, rises: Int => Boolean): Array[Long] = {
    val random = new SplittableRandom(Seed)
    val width = 1L << 40
    Array.tabulate(n) { i =>
      val at = (i / count).toLong * 1000 + (if (noise == 0) 0L else random.nextLong(noise * 1000L))
      val source = i % count
      source * width + (if (rises(source)) at else width - 1 - at)
    }
  }

  for (epsilon <- Seq(1e-3, 0.01)) {
    test(s"a sketch of an inward zigzag has few tuples, ε = $epsilon") {
      Seq(100000, 1000000).foreach { n =>
        val keys = Distributions.inward.sample(n, Seed)
        assertSmall(sketch(epsilon, keys), keys, 6.5, s"n $n")
      }
    }

    test(s"a sketch of alternating sources that rise or fall has few tuples, ε = $epsilon") {
      for (
        (count, noise, up) <-
          Pairs.of(Seq(2, 3, 5, 7), Seq(0, 20), Seq[Int => Boolean](_ => true, _ => false, _ % 2 == 0))
      ) {
        val keys = sources(400000, count, noise, up)
        assertSmall(sketch(epsilon, keys), keys, 6.5, s"$count sources, noise $noise")
      }
    }
  }

  test("a sketch of a zigzag stays small if it is queried often") {
    val keys = Distributions.inward.sample(300000, Seed)
    val s = new GreenwaldKhanna(Domain.BigInt, 0.01)
    keys.indices.foreach { i =>
      s.insert(keys(i))
      if (i % 97 == 0) s.profile
    }
    assertSmall(s, keys, 5.0, "queried")
  }

  test(
    "an adversary that always fills the widest gap: certified answers, and at most (2 + log₂(εn))/ε tuples"
  ) {
    for (epsilon <- Seq(1e-3, 0.01); atOnce <- Seq(10, 300, 5000)) {
      // rounds are slow: by default the adversary has at most 4000 of them
      val rows = if (Cases.times > 1) 400000 else math.min(400000, 20000 + 4000 * atOnce)
      val s = new GreenwaldKhanna(Domain.BigInt, epsilon)
      val seen = Array.newBuilder[Long]
      def insert(key: Long): Unit = { s.insert(key); seen += key }
      (0 until 20000).foreach(i => insert(i * (1L << 48)))
      while (s.count < rows) {
        val (from, until) = widestGap(s, atOnce)
        val step = (until - from) / (atOnce + 1)
        (1 to atOnce).foreach(i => insert(from + i * step))
      }
      val most = 2 + math.log(epsilon * s.count) / math.log(2)
      assertSmall(s, seen.result(), most, s"$atOnce at a time, ε $epsilon")
    }
  }

  /** The two neighbouring keys whose ranks are the least certain, among those with more than twice `room` keys between them. */
  private def widestGap(s: GreenwaldKhanna, room: Int): (Long, Long) = {
    val p = s.profile
    val i = (0 until p.size - 1)
      .filter(i => p.key(i + 1) - p.key(i) > 2L * room)
      .maxBy(i => p.rankBounds(i)._2 - p.rankBounds(i)._1)
    (p.key(i), p.key(i + 1))
  }

  private def list(t: TupleArrays, from: Int, until: Int): Seq[Tuple] =
    (from until until).map(i => Tuple(t.keys(i), t.gs(i), t.deltas(i)))

  private def assigned(union: UnitedTuples, count: Long): Tuples = {
    val t = new Tuples
    t.count = count
    t.assign(union)
    t
  }

  /** Some tuples, and a sorted buffer with all values in this many gaps; 0: in any gap. */
  private def tuplesAndBuffer(random: SplittableRandom, gaps: Int): (Tuples, Array[Long]) = {
    val keys = Array.fill(3000)(random.nextLong(1L << 40))
    val s = sketch(0.01, keys)
    val held = s.summarised
    val values = Array.fill(500) {
      val i = 1 + random.nextInt(if (gaps == 0) held.size - 1 else gaps) * (if (gaps == 0) 1 else 17)
      val (low, high) = (held.keys(i - 1), held.keys(i))
      // sometimes a tie
      if (random.nextInt(20) == 0 || high - low < 2) high
      else low + random.nextLong(math.min(200L, high - low))
    }
    Arrays.sort(values)
    (held, values)
  }

  test("inserting equals uniting with the values as tuples; dropping keeps dense gaps and their neighbours") {
    val random = new SplittableRandom(Seed)
    var foundGaps = 0
    for (_ <- 0 until 60; gaps <- Seq(0, 1, 2, 6); limit <- Seq(2L, 9L, 40L, 400L)) {
      val (held, values) = tuplesAndBuffer(random, gaps)
      val union, reference = new UnitedTuples
      reference.combine(held, asTuples(values))
      union.insert(held, values, values.length)
      val count = held.count + values.length
      val united = assigned(reference, count)
      val found = DenseGaps.find(held, values, values.length)
      val expected = dropped(list(united, 0, united.size), found, limit)
      new UniformThinning(union).drop(limit, found)
      foundGaps += found.size
      val actual = assigned(union, count)
      assertEquals(list(actual, 0, actual.size), expected, s"$gaps gaps, limit $limit")
      // if there are ties, other samples are drawn from tuples than from values
      val tuples = asTuples(values)
      union.combine(held, tuples)
      val foundAmongTuples = DenseGaps.find(held, tuples.keys, tuples.size)
      new UniformThinning(union).drop(limit, foundAmongTuples)
      val ofTuples = assigned(union, count)
      assertEquals(
        list(ofTuples, 0, ofTuples.size),
        dropped(list(united, 0, united.size), foundAmongTuples, limit),
        s"$gaps gaps as tuples, limit $limit"
      )
    }
    assert(foundGaps > 0)
  }

  private def asTuples(values: Array[Long]): Tuples = {
    val all = new UnitedTuples
    all.insert(new Tuples, values, values.length)
    assigned(all, values.length.toLong)
  }

  private def isIn(found: DenseGaps, key: Long): Boolean =
    (0 until found.size).exists(gap => found.low(gap) < key && key < found.high(gap))

  /** A slow reference implementation of dropping: one list, from right to left. */
  private def dropped(tuples: Seq[Tuple], found: DenseGaps, most: Long): Seq[Tuple] = {
    def endsGap(i: Int): Boolean = tuples(i - 1).key != tuples(i).key &&
      (0 until found.size).exists(found.high(_) == tuples(i).key)
    val left = (1 until tuples.size - 1).foldRight(List(tuples.last)) { case (i, kept) =>
      val t = tuples(i)
      val next = kept.head
      val isPair = t.key == next.key
      val delta = if (isPair) math.max(0L, t.delta - next.g) else next.delta
      val fits = t.g + next.g + delta <= most && !(isPair && kept.tail.isEmpty) &&
        !isIn(found, t.key) && !isIn(found, next.key) && !endsGap(i)
      if (fits) Tuple(next.key, t.g + next.g, delta) :: kept.tail else t :: kept
    }
    tuples.head :: left
  }

  test("dense gaps are found only if most values of a buffer lie between few pairs of neighbouring tuples") {
    val held = new Tuples
    held.reserve(1000)
    (0 until 1000).foreach { i => held.keys(i) = i * 1000L; held.gs(i) = 1L }
    held.size = 1000
    held.count = 1000L
    def found(values: Array[Long]): Seq[(Long, Long)] = {
      val sorted = values.sorted
      val gaps = DenseGaps.find(held, sorted, sorted.length)
      (0 until gaps.size).map(i => (gaps.low(i), gaps.high(i)))
    }
    val random = new SplittableRandom(Seed)
    assertEquals(found(Array.fill(2000)(random.nextLong(999000L))), Nil)
    assertEquals(found(Array.fill(2000)(5001L + random.nextLong(999L))), Seq((5000L, 6000L)))
    // two and five alternating sources
    assertEquals(
      found(Array.tabulate(2000)(i => 5001L + i % 2 * 100000L + random.nextLong(999L))),
      Seq((5000L, 6000L), (105000L, 106000L))
    )
    assertEquals(
      found(Array.tabulate(2000)(i => 5001L + i % 5 * 100000L + random.nextLong(999L))).map(_._1),
      Seq(5000L, 105000L, 205000L, 305000L, 405000L)
    )
    assertEquals(found(Array.fill(2000)(5000L)), Nil, "a tuple's own key")
    assertEquals(found(Array.tabulate(2000)(i => -1L - i)), Nil, "below all")
    assertEquals(found(Array.tabulate(2000)(i => 1000000L + i)), Nil, "above all")
    assertEquals(found(Array.emptyLongArray), Nil)
  }
}
