package chronosketch.quantile

import java.util.{Arrays, SplittableRandom}

import chronosketch.domain.Domain
import chronosketch.summary.{Certificate, Distributions, ExactBag}

/** Values that follow each other from several sides: true, few tuples, and no side is lost between two passes. */
class CrowdsSuite extends munit.FunSuite {
  private val Seed = 11L

  import chronosketch.summary.Tuples.Tuple

  private def sketch(epsilon: Double, keys: Array[Long]): GreenwaldKhanna = {
    val s = new GreenwaldKhanna(Domain.BigInt, epsilon)
    keys.foreach(s.insert(_))
    s
  }

  private def assertSmall(s: GreenwaldKhanna, keys: Array[Long], most: Double, what: String): Unit = {
    assertEquals(Certificate.violations(s, ExactBag.of(keys), merged = false).take(3), Nil, what)
    assert(s.tuples * s.epsilon <= most, s"$what: ${s.tuples * s.epsilon}/ε tuples")
  }

  /** n values of so many sources in turns, each of which goes over a range of its own; `noise` is how far one may stray. */
  private def sources(n: Int, many: Int, noise: Int, rises: Int => Boolean): Array[Long] = {
    val random = new SplittableRandom(Seed)
    val width = 1L << 40
    Array.tabulate(n) { i =>
      val at = (i / many).toLong * 1000 + (if (noise == 0) 0L else random.nextLong(noise * 1000L))
      val source = i % many
      source * width + (if (rises(source)) at else width - 1 - at)
    }
  }

  for (epsilon <- Seq(1e-3, 0.01)) {
    test(s"a zigzag inwards has few tuples, ε = $epsilon") {
      Seq(100000, 1000000).foreach { n =>
        val keys = Distributions.inward.sample(n, Seed)
        assertSmall(sketch(epsilon, keys), keys, 6.5, s"n $n")
      }
    }

    test(s"sources that rise or fall in turns have few tuples, ε = $epsilon") {
      for (
        many <- Seq(2, 3, 5, 7); noise <- Seq(0, 20);
        up <- Seq[Int => Boolean](_ => true, _ => false, _ % 2 == 0)
      ) {
        val keys = sources(400000, many, noise, up)
        assertSmall(sketch(epsilon, keys), keys, 6.5, s"$many sources, noise $noise")
      }
    }
  }

  test("a zigzag that is asked in between stays small") {
    val keys = Distributions.inward.sample(300000, Seed)
    val s = new GreenwaldKhanna(Domain.BigInt, 0.01)
    keys.indices.foreach { i =>
      s.insert(keys(i))
      if (i % 97 == 0) s.profile
    }
    assertSmall(s, keys, 5.0, "asked")
  }

  test("an adversary that fills the widest gap: true, and as few as log₂(εn) allows") {
    for (epsilon <- Seq(1e-3, 0.01); some <- Seq(10, 300, 5000)) {
      val s = new GreenwaldKhanna(Domain.BigInt, epsilon)
      val seen = Array.newBuilder[Long]
      def insert(key: Long): Unit = { s.insert(key); seen += key }
      (0 until 20000).foreach(i => insert(i * (1L << 48)))
      while (s.count < 400000) {
        val (from, until) = widestGap(s, some)
        val step = (until - from) / (some + 1)
        (1 to some).foreach(i => insert(from + i * step))
      }
      val most = 2 + math.log(epsilon * s.count) / math.log(2)
      assertSmall(s, seen.result(), most, s"$some at a time, ε $epsilon")
    }
  }

  /** Two neighbours with room between them, of whose ranks the least is known. */
  private def widestGap(s: GreenwaldKhanna, room: Int): (Long, Long) = {
    val p = s.profile
    val i = (0 until p.size - 1)
      .filter(i => p.key(i + 1) - p.key(i) > 2L * room)
      .maxBy(i => p.rankBounds(i)._2 - p.rankBounds(i)._1)
    (p.key(i), p.key(i + 1))
  }

  private def list(t: TupleArrays, from: Int, until: Int): Seq[Tuple] =
    (from until until).map(i => Tuple(t.keys(i), t.gs(i), t.deltas(i)))

  private def taken(scratch: TupleScratch, count: Long): Tuples = {
    val t = new Tuples
    t.count = count
    t.assign(scratch)
    t
  }

  /** Some tuples, and a buffer of which so many values lie in a few gaps. */
  private def some(random: SplittableRandom, crowds: Int): (Tuples, Array[Long]) = {
    val keys = Array.fill(3000)(random.nextLong(1L << 40))
    val s = sketch(0.01, keys)
    s.tuples
    val held = s.summarised
    val values = Array.fill(500) {
      val i = 1 + random.nextInt(if (crowds == 0) held.size - 1 else crowds) * (if (crowds == 0) 1 else 17)
      val (low, high) = (held.keys(i - 1), held.keys(i))
      // now and then one that ties
      if (random.nextInt(20) == 0 || high - low < 2) high
      else low + random.nextLong(math.min(200L, high - low))
    }
    Arrays.sort(values)
    (held, values)
  }

  test(
    "inserting is the union with values as tuples; dropping leaves crowds, and what is next to them, as they are"
  ) {
    val random = new SplittableRandom(Seed)
    var crowded = 0
    for (_ <- 0 until 60; crowds <- Seq(0, 1, 2, 6); limit <- Seq(2L, 9L, 40L, 400L)) {
      val (held, values) = some(random, crowds)
      val scratch, twin = new TupleScratch
      twin.combine(held, asTuples(values))
      scratch.insert(held, values, values.length)
      val count = held.count + values.length
      val united = taken(twin, count)
      val found = new Crowds
      found.find(held, values, values.length)
      val expected = dropped(list(united, 0, united.size), found, limit)
      scratch.drop(limit)
      crowded += found.size
      val actual = taken(scratch, count)
      assertEquals(list(actual, 0, actual.size), expected, s"$crowds crowds, limit $limit")
      // of tuples other ones are drawn where values tie
      val tuples = asTuples(values)
      scratch.insert(held, tuples)
      scratch.drop(limit)
      found.find(held, tuples.keys, tuples.size)
      val ofTuples = taken(scratch, count)
      assertEquals(
        list(ofTuples, 0, ofTuples.size),
        dropped(list(united, 0, united.size), found, limit),
        s"$crowds crowds as tuples, limit $limit"
      )
    }
    assert(crowded > 0)
  }

  private def asTuples(values: Array[Long]): Tuples = {
    val all = new TupleScratch
    all.insert(new Tuples, values, values.length)
    taken(all, values.length.toLong)
  }

  private def isIn(found: Crowds, key: Long): Boolean =
    (0 until found.size).exists(c => found.low(c) < key && key < found.high(c))

  /** The slow way: one list, from right to left. */
  private def dropped(tuples: Seq[Tuple], found: Crowds, most: Long): Seq[Tuple] = {
    def endsCrowd(i: Int): Boolean = tuples(i - 1).key != tuples(i).key &&
      (0 until found.size).exists(found.high(_) == tuples(i).key)
    val left = (1 until tuples.size - 1).foldRight(List(tuples.last)) { case (i, kept) =>
      val t = tuples(i)
      val next = kept.head
      val isPair = t.key == next.key
      val delta = if (isPair) math.max(0L, t.delta - next.g) else next.delta
      val fits = t.g + next.g + delta <= most && !(isPair && kept.tail.isEmpty) &&
        !isIn(found, t.key) && !isIn(found, next.key) && !endsCrowd(i)
      if (fits) Tuple(next.key, t.g + next.g, delta) :: kept.tail else t :: kept
    }
    tuples.head :: left
  }

  test("crowds are found where most of a buffer lies between few neighbours, and only there") {
    val held = new Tuples
    held.reserve(1000)
    (0 until 1000).foreach { i => held.keys(i) = i * 1000L; held.gs(i) = 1L }
    held.size = 1000
    held.count = 1000L
    def found(values: Array[Long]): Seq[(Long, Long)] = {
      val crowds = new Crowds
      val sorted = values.sorted
      crowds.find(held, sorted, sorted.length)
      (0 until crowds.size).map(i => (crowds.low(i), crowds.high(i)))
    }
    val random = new SplittableRandom(Seed)
    assertEquals(found(Array.fill(2000)(random.nextLong(999000L))), Nil)
    assertEquals(found(Array.fill(2000)(5001L + random.nextLong(999L))), Seq((5000L, 6000L)))
    // turns of two and of five
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
