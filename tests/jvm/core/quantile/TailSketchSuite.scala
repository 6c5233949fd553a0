package chronosketch.quantile

import java.util.SplittableRandom

import chronosketch.{Cases, Pairs, Refusal, Suite}
import chronosketch.codec.Stored
import chronosketch.counted.CountedKeys
import chronosketch.domain.{Cast, Domain}
import chronosketch.families.Families
import chronosketch.rank.Tail
import chronosketch.summary.{
  Distributions,
  Envelope,
  ExactBag,
  MergeShape,
  Summary,
  TupleChecks
}

/** Tests that the error of a tail sketch falls towards its tail, as certified, after any inserts and merges. */
class TailSketchSuite extends Suite {
  private val Seed = 46L

  private def empty(tail: Tail, epsilon: Double, domain: Domain = Domain.BigInt): GreenwaldKhanna =
    QuantileRecipe(domain, epsilon, QuantileFamily.of(Some(tail))).empty

  private def sketch(tail: Tail, epsilon: Double, keys: Array[Long]): GreenwaldKhanna = {
    val s = empty(tail, epsilon)
    s.insertAll(keys, 0, keys.length)
    s
  }

  private def assertCertified(s: GreenwaldKhanna, seen: ExactBag, what: String): Unit =
    assertEquals(TailCertificate.violations(s, seen).take(5), Nil, s"$what, seed $Seed")

  /** The number of tuples as a multiple of what a sketch that is built from values in random order has at least. */
  private def size(s: GreenwaldKhanna): Double =
    s.tuples / Tolerance.of(s.epsilon, s.family.tail).tuples(1.0, s.count)

  private def union(parts: Seq[Array[Byte]], into: GreenwaldKhanna): GreenwaldKhanna = {
    parts.foreach { part =>
      val header = Envelope.StoredHeader.of(part, Families.byId)
      header.header.mergeInto(into, header.payload(part))
    }
    into
  }

  private val epsilons = Seq(0.0, 1e-3, 0.01, 0.1, 0.5)

  Distributions.all.zipWithIndex.foreach { case (d, i) =>
    test(s"one sketch: ${d.name}") {
      for (n <- Seq(1, 2, 3, 10, 1000, 100000); (tail, j) <- Tail.all.zipWithIndex) {
        val keys = d.sample(n, Seed)
        val seen = ExactBag.of(keys)
        for (epsilon <- if (n <= 1000) epsilons else Cases.turn(i + j, epsilons)) {
          val s = empty(tail, epsilon, d.domain)
          keys.foreach(s.insert(_))
          assertCertified(s, seen, s"$tail, n $n, ε $epsilon")
          if (n <= 2 / epsilon || seen.distinct <= 1 / epsilon)
            assert(s.profile.isExact, s"$tail, n $n, ε $epsilon: not exact")
        }
      }
    }
  }

  private val merges = Pairs.of(Distributions.all, Seq(2, 64, 1000), MergeShape.all, Tail.all).groupBy(_._1)

  Distributions.all.foreach { d =>
    test(s"merged: ${d.name}") {
      val keys = d.sample(60000, Seed)
      val seen = ExactBag.of(keys)
      for ((_, parts, shape, tail) <- merges(d)) {
        val s = MergeShape.build(keys, parts, shape)(empty(tail, 0.05, d.domain))
        assertCertified(s, seen, s"$tail, $parts parts, ${shape.name}")
      }
    }
  }

  test(
    "stored sketches that are merged in levels of ten and of two stay certified, and small in levels of ten"
  ) {
    for (
      (d, tail) <-
        Cases.inTurns(Distributions.random ++ Seq(Distributions.sorted, Distributions.inward), Tail.all)
    ) {
      val keys = d.sample(300000, Seed)
      val seen = ExactBag.of(keys)
      for (fanIn <- Seq(10, 2)) {
        var level = keys.grouped(3000).map(part => Envelope.seal(sketch(tail, 0.05, part))).toSeq
        while (level.size > 1)
          level = level.grouped(fanIn).map(some => Envelope.seal(union(some, empty(tail, 0.05)))).toSeq
        val whole = QuantileFamily.of(Some(tail)).own(Families.open(level.head))
        assertCertified(whole, seen, s"${d.name}, $tail, $fanIn at a time")
        if (fanIn == 10) assert(size(whole) <= 5.0, s"${d.name}, $tail: ${size(whole)} units")
      }
    }
  }

  test("a thousand parts of a Pareto distribution at ε = 0.01 make a sketch of at most 32 kB") {
    val pareto = Distributions.random.find(_.name == "pareto").get
    val random = new SplittableRandom(Seed)
    val parts = Seq.fill(1000)(pareto.sample(2000 + random.nextInt(2000), random.nextLong()))
    val stored = parts.map(part => Envelope.seal(sketch(Tail.High, 0.01, part)))
    val whole = union(stored, empty(Tail.High, 0.01))
    assertCertified(whole, ExactBag.of(parts.toArray.flatten), "a thousand parts")
    val bytes = Envelope.seal(whole).length
    assert(bytes <= 32768, s"$bytes bytes, ${whole.tuples} tuples")
    assert(size(whole) >= 0.5, s"${whole.tuples} tuples: so few can't be right")
  }

  test("sketches of long streams stay small") {
    for (
      (d, tail) <- Cases.inTurns(
        Distributions.random ++ Seq(
          Distributions.sorted,
          Distributions.reversed,
          Distributions.inward,
          Distributions.outward
        ),
        Tail.all
      )
    ) {
      val keys = d.sample(500000, Seed)
      val s = sketch(tail, 0.01, keys)
      assertCertified(s, ExactBag.of(keys), s"${d.name}, $tail")
      // the tuples of a bag stay for a pass if they are in dense gaps
      val most = if (d == Distributions.inward) 4.5 else 3.5
      assert(size(s) <= most, s"${d.name}, $tail: ${size(s)} units")
    }
  }

  test("the error at p99.99 is far below that of a uniform sketch with as many bytes") {
    val keys = Distributions.random.find(_.name == "lognormal").get.sample(1000000, Seed)
    val high = sketch(Tail.High, 0.01, keys)
    val uniform = new GreenwaldKhanna(Domain.BigInt, 1e-3)
    keys.foreach(uniform.insert(_))
    val rank = 999900L
    def certified(s: GreenwaldKhanna): Long = {
      val (low, high) = s.profile.keyBoundsOfRank(rank)
      ExactBag.of(keys).rank(high) - ExactBag.of(keys).rank(low)
    }
    assert(certified(high) <= 4, s"${certified(high)} ranks")
    assert(certified(uniform) >= 40, s"${certified(uniform)} ranks")
  }

  test("values inserted after merges, with counts, and queries in between") {
    for (tail <- Tail.all) {
      val keys = Distributions.mixed(1).sample(90000, Seed)
      val s = union(
        keys.take(30000).grouped(3000).map(part => Envelope.seal(sketch(tail, 0.02, part))).toSeq,
        empty(tail, 0.02)
      )
      s.profile
      (30000 until 60000).foreach { i => s.insert(keys(i)); if (i % 997 == 0) s.profile }
      val copies = keys.drop(60000).take(3000)
      copies.foreach(key => s.insert(key, 1 + Math.floorMod(key, 50L)))
      val repeated = copies.flatMap(key => Array.fill(1 + Math.floorMod(key, 50L).toInt)(key))
      assertCertified(s, ExactBag.of(keys.take(60000) ++ repeated), s"$tail")
    }
  }

  test("compacting keeps the promise, and makes a union about as small as a sketch that was built") {
    for (tail <- Tail.all) {
      val keys = Distributions.random(1).sample(200000, Seed)
      val s = union(
        keys.grouped(2000).map(part => Envelope.seal(sketch(tail, 0.02, part))).toSeq,
        empty(tail, 0.02)
      )
      s.compact()
      assertCertified(s, ExactBag.of(keys), s"$tail")
      assert(size(s) <= 2.0, s"$tail: ${size(s)} units")
      val exact = sketch(tail, 0.02, keys.take(390))
      exact.compact()
      assertCertified(exact, ExactBag.of(keys.take(390)), s"$tail, few")
    }
  }

  test("of two ε the larger one holds") {
    val keys = Distributions.random.head.sample(40000, Seed)
    for (tail <- Tail.all; (one, other) <- Seq(0.001 -> 0.05, 0.05 -> 0.001, 0.0 -> 0.02)) {
      val s = sketch(tail, one, keys.take(20000))
      s.merge(sketch(tail, other, keys.drop(20000)))
      assertEquals(s.epsilon, math.max(one, other))
      assertCertified(s, ExactBag.of(keys), s"$tail, $one with $other")
    }
  }

  test("keys with counts of up to 2⁶² make a certified sketch") {
    val counts = Seq(3L, 1L << 40, 1L << 62, 5L, (1L << 61) + 1, 1L << 60, 7L)
    val counted = new CountedKeys {
      def total: Long = counts.sum
      def distinct: Int = counts.size
      def exactTuples: Long = 2L * counts.size
      def copyTo(keys: Array[Long], copies: Array[Long]): Unit =
        counts.indices.foreach { i => keys(i) = i.toLong; copies(i) = counts(i) }
      def seek(rank: Long): Long = counts.scanLeft(0L)(_ + _).tail.indexWhere(_ >= rank).toLong
      def rewind(): Unit = ()
    }
    val seen = ExactBag.of(counts.zipWithIndex.map { case (n, i) => i.toLong -> n }.toMap)
    for (tail <- Tail.all; epsilon <- Seq(0.5, 0.3)) {
      val s = QuantileRecipe(Domain.BigInt, epsilon, QuantileFamily.of(Some(tail))).ofCounts(counted)
      assertCertified(s, seen, s"$tail, ε $epsilon")
      val bytes = Envelope.seal(s)
      assertEquals(Envelope.seal(Families.open(bytes)).toSeq, bytes.toSeq)
    }
  }

  test("sketches of different tails are not merged: neither promises what the other does") {
    val families = QuantileSketch +: QuantileFamily.tails
    def of(family: QuantileFamily, n: Int): GreenwaldKhanna = {
      val s = QuantileRecipe(Domain.BigInt, 0.1, family).empty
      (1 to n).foreach(i => s.insert(i.toLong))
      s
    }
    for (a <- families; b <- families if a ne b; n <- Seq(3, 1000)) {
      val into = of(a, n)
      val before = Envelope.seal(into).toSeq
      val stored = Envelope.seal(of(b, n))
      val refusals =
        Seq(intercept[Refusal](into.merge(of(b, n))), intercept[Refusal](union(Seq(stored), into)))
      refusals.foreach { refusal =>
        assertEquals(refusal.condition, "CHRONOSKETCH_FAMILIES_DIFFER")
        assertEquals(refusal.parameters("right"), b.name)
      }
      assertEquals(Envelope.seal(into).toSeq, before)
      // an empty sketch is neutral, whatever its tail
      val kept = Summary.union(of(b, 0), into)
      assertEquals((kept.family: Any, kept.count), (a: Any, n.toLong))
    }
  }

  test("a cast keeps the tail") {
    val keys = Array.tabulate(5000)(i => (i * 7919L) % 30011)
    for (tail <- Tail.all) {
      val s = empty(tail, 0.05, Domain.Int)
      keys.foreach(s.insert(_))
      val cast = Cast.of(Domain.Int, Domain.BigInt).get
      val other = s.castBy(cast)
      assertEquals(other.family, s.family)
      assertCertified(other, ExactBag.of(keys.map(cast(_))), s"$tail")
    }
  }

  /** The bytes of tuples with the header of a family. */
  private def stored(family: QuantileFamily, epsilon: Double, tuples: Seq[(Long, Long, Long)]): Array[Byte] =
    Envelope.seal(QuantileRecipe(Domain.BigInt, epsilon, family)) { writer =>
      val all = new Tuples
      all.reserve(tuples.size)
      tuples.zipWithIndex.foreach { case ((key, g, delta), i) =>
        all.keys(i) = key
        all.gs(i) = g
        all.deltas(i) = delta
      }
      all.size = tuples.size
      GreenwaldKhannaWire.write(writer, all)
    }

  private def outcome(bytes: Array[Byte]): Option[String] =
    try { Families.open(bytes); None }
    catch { case r: Refusal => Some(r.parameters("reason")) }

  test("stored tuples whose gaps are wider than the tail allows are refused") {
    // a gap of g + Δ = 2h or 2h + 1 with `near` elements on its certain side is allowed if h ≤ ε·(near + h)
    for (epsilon <- Seq(0.01, 0.07, 0.3); near <- Seq(1L, 99L, 100L, 101L, 5000L); delta <- Seq(0L, 1L)) {
      val most = Iterator.from(1).map(_.toLong).takeWhile(h =>
        h <= TupleChecks.share(epsilon, near + h)
      ).toSeq.lastOption.getOrElse(0L)
      for (extra <- 0L to 3L) {
        val width = 2 * most + extra
        val g = width - delta
        if (g >= 1 && width > 1) {
          val expected = if (extra <= 1) None else Some("its error is above that of its tail")
          // the gap is followed by `near` elements, and preceded by as many as it may need
          val above = Seq((0L, 1L, 0L), (1L, 1000000L, 0L), (5L, g, delta)) ++ (1L until near + delta).map(
            i => (5 + i, 1L, 0L)
          )
          val high = above.patch(1, Seq((0L, 1000000L, 0L)), 1)
          if (near + delta > 1) assertEquals(
            outcome(stored(HighTailSketch, epsilon, high)),
            expected,
            s"high, ε $epsilon, near $near, width $width"
          )
          // the gap is preceded by `near` elements and followed by many copies of a greater key
          val low = (0L until near).map(i => (i, 1L, 0L)) ++ Seq((near + 5, g, delta)) ++
            Seq((near + 9, 1L, 0L), (near + 9, 1000000L, 0L))
          val bytes = stored(LowTailSketch, epsilon, low)
          assertEquals(outcome(bytes), expected, s"low, ε $epsilon, near $near, width $width")
        }
      }
    }
  }

  test("the bytes of a uniform sketch with the number of a tail are refused") {
    val keys = Distributions.random.head.sample(20000, Seed)
    val s = new GreenwaldKhanna(Domain.BigInt, 0.01)
    keys.foreach(s.insert(_))
    for (family <- QuantileFamily.tails) {
      val forged = Envelope.seal(s)
      forged(9) = family.id.toByte
      assertEquals(outcome(Stored.reseal(forged)), Some("its error is above that of its tail"))
    }
  }

  test("what a gap may have is never rounded up") {
    val random = new SplittableRandom(Seed)
    for (_ <- 0 until 20000) {
      val epsilon = math.pow(10, -6 * random.nextDouble()) / 2
      val near = random.nextLong(1L << (1 + random.nextInt(62)))
      val spare = new GapLimits(epsilon, GapLimits.Whole).spare(near)
      val half = spare / 2
      assert(spare % 2 == 0 && half <= TupleChecks.share(epsilon, near + half), s"ε $epsilon, $near: $spare")
      // nor is much of it given away
      val more = half + 1 + half / 1000000
      assert(more > TupleChecks.share(epsilon, near + more), s"ε $epsilon, $near: only $spare")
    }
  }

  test("dropping equals a slow reference, and a tuple is dropped only within the limit") {
    val random = new SplittableRandom(Seed)
    var dropped = 0
    for (_ <- 0 until 10; tail <- Tail.all; share <- Seq(1, 2, 4).map(GapLimits.Whole / _)) {
      val keys = Array.fill(4000)(random.nextLong(1L << (6 + random.nextInt(30))))
      val parts = keys.grouped(1000).map(part => sketch(tail, 0.05, part).summarised).toSeq
      val union = new UnitedTuples
      val waiting = new WaitingTuples
      parts.foreach(waiting.add)
      union.combine(new Tuples, waiting.drain(new Tuples))
      val before = list(union)
      Tolerance.of(0.05, Some(tail)).thinning(union).drop(share, DenseGaps.none)
      assertEquals(list(union), reference(before, tail, 0.05, share))
      dropped += before.size - list(union).size
    }
    assert(dropped > 5000, s"$dropped dropped")
  }

  private def list(union: UnitedTuples): Seq[TupleChecks.Tuple] =
    (union.start until union.end).map(i => TupleChecks.Tuple(union.keys(i), union.gs(i), union.deltas(i)))

  private def reference(
      all: Seq[TupleChecks.Tuple],
      tail: Tail,
      epsilon: Double,
      share: Long
  ): Seq[TupleChecks.Tuple] = {
    val n = all.map(_.g).sum
    val limits = new GapLimits(epsilon, share)
    // the tuples that are kept, and the number of elements after the first of them
    val start = (List(all.last), 0L)
    val (kept, _) = (1 until all.size - 1).foldRight(start) { case (i, (kept, after)) =>
      val (t, next) = (all(i), kept.head)
      val isPair = t.key == next.key
      val delta = if (isPair) math.max(0L, t.delta - next.g) else next.delta
      val near = tail.nearer(n - after - next.g - t.g, after - delta + 1)
      val fits = t.g + next.g + delta - 1 <= limits.spare(near) && !(isPair && kept.tail.isEmpty)
      if (fits) (TupleChecks.Tuple(next.key, t.g + next.g, delta) :: kept.tail, after)
      else (t :: kept, after + next.g)
    }
    all.head :: kept
  }
}
