package chronosketch.window.sample

import java.util.SplittableRandom

import chronosketch.{Refusal, Suite}
import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.rank.Phi
import chronosketch.sample.Sampled
import chronosketch.summary.Envelope
import chronosketch.window.{Constraint, Windowed}

/** Tests that the samples of windows are drawn uniformly: against an oracle that stores all rows, and, with fixed seeds, against
  * computed thresholds.
  */
class WindowSampleSuite extends Suite {
  import WindowSampleSuite._

  private def sketch(
      size: Int,
      seed: Long = 1L,
      delta: Double = 1e-4,
      retention: Long = Windowed.KeepAll
  ): WindowSample =
    WindowSampleRecipe.alone(Domain.BigInt, Domain.BigInt, size, seed, delta, retention).empty

  private def reopened(s: WindowSample): WindowSample =
    Families.open(Envelope.seal(s)).asInstanceOf[WindowSample]
  private def last(span: Long): Constraint = Constraint.WithinLast(span)

  test("merging an empty sample does not change the rows that are drawn later") {
    val (merged, plain) = (sketch(12), sketch(12))
    Seq(merged, plain).foreach(s => (0L until 20L).foreach(i => s.insert(i, i, 0)))
    merged.merge(sketch(12))
    Seq(merged, plain).foreach(s => (20L until 60L).foreach(i => s.insert(i, i, 0)))
    assertEquals(Envelope.seal(merged).toSeq, Envelope.seal(plain).toSeq)
  }

  /** Times of rows in several orders, with and without ties. */
  private val times: Seq[(String, (Int, SplittableRandom) => Long)] = Seq(
    "in order" -> ((i, _) => i.toLong),
    "backwards" -> ((i, _) => -i.toLong),
    "at random" -> ((_, r) => r.nextLong(100000)),
    "few" -> ((_, r) => r.nextLong(12)),
    "one" -> ((_, _) => 5L),
    "late" -> ((i, r) => i * 10L - r.nextInt(3000)),
    "every long" -> ((_, r) => r.nextLong())
  )

  private def withRowIds(rows: Seq[Row], size: Int, retention: Long = Windowed.KeepAll): WindowSample = {
    val s = sketch(size, retention = retention)
    rows.foreach(r => s.insertRow(r.key, r.time, r.id))
    s
  }

  for ((name, time) <- times; size <- Seq(1, 7, 100))
    test(s"times $name, size $size: the kept rows follow the rule, for any order and merges") {
      val random = new SplittableRandom(size.toLong)
      val rows =
        Seq.tabulate(800)(i => Row(random.nextLong(50), time(i, random), if (i < 600) i.toLong else i / 2L))
      val whole = withRowIds(rows, size)
      val kept = whole.sortedRows
      val expected = Oracle.kept(rows, size)
      assertEquals(
        (0 until kept.size).map(i => (kept.times(i), kept.priorities(i), kept.keys(i))),
        expected
      )
      val shuffle = new scala.util.Random(size)
      Seq(1, 2, 40).foreach { parts =>
        val shuffled = shuffle.shuffle(rows)
        val partSketches = shuffled.grouped(rows.size / parts + 1).map(withRowIds(_, size)).toSeq
        val inTree = merged(partSketches.map(s => if (shuffle.nextBoolean()) reopened(s) else s))
        val of1 = inTree.sortedRows
        assertEquals((0 until of1.size).map(i => (of1.times(i), of1.priorities(i), of1.keys(i))), expected)
        assertEquals(inTree.count, rows.size.toLong)
      }
      // windows of the stored rows consist of the least priorities of their rows
      val sorted = rows.map(_.time).sorted
      Seq(0, 10, 300, 600, 790).map(i => sorted(i)).distinct.foreach { after =>
        val span = sorted.last - after
        if (span > 0) {
          val window = whole.restrict(last(span), None)
          val meant = rows.filter(_.time > after)
          assertEquals(
            window.values.toSeq,
            meant.sortBy(r => (Oracle.priority(r), -r.time, r.key)).take(size).map(_.key).sorted
          )
          val (low, high) = window.countBounds
          assert(low <= meant.size && meant.size <= high, s"${meant.size} rows, not from $low to $high")
          assert(high - low <= math.max(1.0, 0.011 * meant.size), s"from $low to $high of ${meant.size}")
        }
      }
    }

  private def merged(parts: Seq[WindowSample]): WindowSample =
    if (parts.size == 1) parts.head
    else {
      val (left, right) = parts.splitAt((parts.size + 1) / 2)
      val into = merged(left)
      into.merge(merged(right))
      into
    }

  test("with row identities, the bytes do not depend on order and parts") {
    // so few rows that no buckets of counts are merged
    val random = new SplittableRandom(3)
    val rows = Seq.tabulate(700)(i => Row(random.nextLong(50), random.nextLong(300), i.toLong))
    val whole = Envelope.seal(withRowIds(rows, 20)).toSeq
    val shuffle = new scala.util.Random(4)
    (1 to 30).foreach { parts =>
      val partSketches = shuffle.shuffle(rows).grouped(700 / parts + 1).map(withRowIds(_, 20)).toSeq
      assertEquals(Envelope.seal(merged(partSketches.map(reopened))).toSeq, whole)
    }
    val other = sketch(20, seed = 2L)
    rows.foreach(r => other.insertRow(r.key, r.time, r.id))
    assertNotEquals(Envelope.seal(other).toSeq, whole)
  }

  /** Ways to build a sketch of the rows 0 until [[Rows]], whose times are their values. */
  private val ways: Seq[(String, Long => WindowSample)] = Seq(
    "one by one" -> { seed =>
      val s = sketch(Size, seed)
      (0 until Rows).foreach(i => s.insert(i.toLong, i.toLong, 0))
      s
    },
    "in parts, backwards" -> { seed =>
      val sampleRecipe = WindowSampleRecipe.alone(
        Domain.BigInt,
        Domain.BigInt,
        Size,
        seed,
        1e-4,
        Windowed.KeepAll
      ).inPart(3)
      val parts = Seq(0 to 12, 13 to 13, 14 to 40, 41 until Rows).map { rows =>
        val s = sampleRecipe.empty
        rows.reverse.foreach(i => s.insert(i.toLong, i.toLong, 0))
        s
      }
      merged(Seq(parts(2), parts(0), parts(3), parts(1)))
    },
    "through bytes, and more rows after" -> { seed =>
      val s = sketch(Size, seed)
      (0 until 40).foreach(i => s.insert(i.toLong, i.toLong, 0))
      val again = reopened(s)
      (40 until Rows).foreach(i => again.insert(i.toLong, i.toLong, 0))
      again
    }
  )

  /** Checks that rows are sampled equally often, and how many there are. */
  private def evenly(from: Int, until: Int, what: String)(draw: Long => Array[Long]): Unit = {
    val n = until - from
    val singles = new Array[Long](n)
    val pairs = Array.ofDim[Long](n, n)
    var kept, trial = 0L
    while (trial < Trials) {
      val rows = draw(trial).map(_.toInt - from)
      kept += rows.length
      rows.foreach { a =>
        assert(a >= 0 && a < n, s"$what: ${a + from} is not of the window")
        singles(a) += 1
        rows.foreach(b => if (b > a) pairs(a)(b) += 1)
      }
      trial += 1
    }
    val share = kept.toDouble / Trials / n
    if (share == 1.0) assert(singles.forall(_ == Trials), what)
    else {
      val ofRows = chiSquare(singles.toSeq, mean => mean * (1 - share) * n / (n - 1))
      assert(ofRows < mostChiSquare(n - 1), s"$what, rows: $ofRows")
      val all = for (a <- 0 until n; b <- a + 1 until n) yield pairs(a)(b)
      val ofPairs = chiSquare(all, mean => mean)
      assert(ofPairs < mostChiSquare(all.size - 1), s"$what, pairs: $ofPairs")
    }
  }

  for ((way, make) <- ways; from <- Seq(0, 20, Rows - Size - 1, Rows - Size, Rows - 5))
    test(s"$way: of the rows from $from on each is in as often as any other, and so is each pair") {
      evenly(from, Rows, way) { seed =>
        val values = make(seed).restrict(last(Rows - from.toLong), None).values
        assertEquals(values.length, math.min(Size, Rows - from))
        values
      }
    }

  for ((way, make) <- ways; (from, until) <- Seq((0, 30), (20, 50), (30, 58)))
    test(s"$way: of the rows from $from until $until, as of the last of them") {
      evenly(from, until, way) { seed =>
        make(seed).restrict(last(until - from.toLong), Some(until - 1L)).values
      }
    }

  test(
    "windows that end before the newest row, united with others: each row is in as often, given how many are"
  ) {
    // one sketch has few of many later rows, the other has all of them
    val bySize = Array.ofDim[Long](20, 20)
    (0 until 4 * Trials).foreach { seed =>
      val s = sketch(5, seed.toLong)
      (0 until 40).foreach(i => s.insert(i.toLong, i.toLong, 0))
      val t = sketch(5, seed.toLong)
      (10 until 14).foreach(i => t.insert(i.toLong, i.toLong + 100, 0))
      val window = s.restrict(last(10), Some(9L))
      val other = t.restrict(last(50), None)
      val both =
        if (seed % 2 == 0) window else Families.open(Envelope.seal(window)).asInstanceOf[SampleWindow]
      both.merge(other)
      val values = both.values
      assertEquals(both.countBounds, (14L, 14L))
      values.foreach(key => bySize(values.length)(key.toInt) += 1)
    }
    bySize.zipWithIndex.foreach { case (counts, size) =>
      val all = counts.take(14).toSeq
      if (all.sum > 2000) {
        val share = size / 14.0
        val found = chiSquare(all, mean => mean * (1 - share) * 14 / 13)
        assert(found < mostChiSquare(13), s"$size rows, $found: $all")
      }
    }
  }

  for (delta <- Seq(0.5, 0.1); (what, asOf) <- Seq("the newest", "an earlier").zip(Seq(None, Some(3999L))))
    test(s"bounds hold all at once with the probability, $delta, as of $what time") {
      val trials = 600
      var missed = 0
      var errors = 0.0
      (0 until trials).foreach { trial =>
        val random = new SplittableRandom(trial.toLong)
        // skewed, with ties
        val rows = Array.fill(5000)((math.pow(random.nextDouble(), 4) * 2000).toLong)
        val s = sketch(200, trial.toLong, delta)
        rows.indices.foreach(i => s.insert(rows(i), i.toLong, 0))
        val end = asOf.fold(rows.length)(_.toInt + 1)
        val window = s.restrict(last(3000), asOf)
        val meant = rows.slice(end - 3000, end)
        val (low, high) = window.countBounds
        assert(low <= 3000 && 3000 <= high && window.count >= low && window.count <= high)
        val upTo = new Array[Long](2001)
        meant.foreach(key => upTo(key.toInt) += 1)
        (1 to 2000).foreach(key => upTo(key) += upTo(key - 1))
        val p = window.profile
        val sorted = meant.sorted
        def below(key: Long): Long = if (key == 0) 0 else upTo(key.toInt - 1)
        val truth = (0L to 2000L by 5).forall { key =>
          val (low, high) = p.rankBounds(p.position(key))
          low <= upTo(key.toInt) && upTo(key.toInt) <= high
        } && phis.forall { phi =>
          val (low, high) = p.quantileBounds(phi)
          val exact = sorted(phi.rank(3000).toInt - 1)
          val answer = window.quantile(phi)
          val rank = phi.rank(3000)
          val off = math.max(rank - upTo(answer.toInt), below(answer) + 1 - rank)
          low <= exact && exact <= high && off <= window.rankError * 3000
        }
        if (!truth) missed += 1
        errors += window.rankError
      }
      assert(missed <= delta * trials, s"$missed of $trials")
      // the window selects 3 000 of the 4 000 rows after its beginning
      val m = if (asOf.isEmpty) 200 else 140
      assert(errors / trials <= math.sqrt(math.log(16 / delta) / (2.0 * m)) + 1.5 / m, s"${errors / trials}")
    }

  test(
    "a window's number of rows is within its bounds and within 1 %, for any as_of and after merges"
  ) {
    val random = new SplittableRandom(8)
    times.foreach { case (name, time) =>
      val rows = Array.tabulate(60000)(i => time(i, random))
      val parts = rows.grouped(7000).map { some =>
        val s = sketch(50)
        some.foreach(t => s.insert(t % 7, t, 0))
        s
      }.toSeq
      val s = merged(parts)
      val sorted = rows.sorted
      assertEquals(s.count, rows.length.toLong)
      (1 to 200).foreach { i =>
        val at = sorted(random.nextInt(rows.length))
        val end = sorted(random.nextInt(rows.length))
        val asOf = Option.when(i % 3 == 0)(end)
        val until = asOf.getOrElse(sorted.last)
        if (until > at && until - at > 0) {
          val (low, high) = s.restrict(last(until - at), asOf).countBounds
          val exact = rows.count(t => t > at && t <= until).toLong
          assert(low <= exact && exact <= high, s"$name: $exact, not from $low to $high")
          if (asOf.isEmpty) assert(high - low <= 0.011 * exact, s"$name: from $low to $high of $exact")
        }
      }
    }
  }

  test("copies are sampled like as many rows") {
    var sevens = 0L
    (0 until 2000).foreach { seed =>
      val s = sketch(10, seed.toLong)
      s.insert(7L, 1L, 0, 1000000L)
      s.insert(8L, 2L, 0, 3000000L)
      assertEquals(s.count, 4000000L)
      sevens += s.values.count(_ == 7L)
      assertEquals(s.restrict(last(1), None).values.toSeq, Seq.fill(10)(8L))
    }
    assert(math.abs(sevens - 5000.0) < Sigmas * math.sqrt(20000 * 0.25 * 0.75), s"$sevens of 20000")
  }

  test("merged sketches are pruned before the first query, and their memory is counted") {
    val all = sketch(100)
    val meter = new chronosketch.memory.Meter
    all.meteredBy(meter)
    (0 until 300).foreach { part =>
      val s = sketch(100, seed = part.toLong)
      (0 until 2000).foreach(i => s.insert(i.toLong, i * 300L + part, 0))
      all.merge(s)
      // 1 000 rows are stored, and some 8 000 buckets are not merged yet
      assert(meter.bytes < 2000000, s"${meter.bytes} bytes after ${part + 1} parts")
    }
    assertEquals(all.count, 600000L)
    assert(
      all.sortedRows.size < 1400 && all.sortedRows.times.length < 4000,
      s"room for ${all.sortedRows.times.length}"
    )
  }

  test("retention removes older rows, windows within it stay correct, and others are rejected") {
    val (s, all) = (sketch(30, retention = 1000), sketch(30))
    (0 until 20000).foreach { i =>
      s.insertRow(i.toLong, i.toLong, i.toLong)
      all.insertRow(i.toLong, i.toLong, i.toLong)
    }
    Seq(1L, 29, 30, 31, 500, 1000).foreach { span =>
      val (a, b) = (s.restrict(last(span), None), all.restrict(last(span), None))
      assertEquals(a.values.toSeq, b.values.toSeq)
      val (low, high) = a.countBounds
      assert(low <= span && span <= high && high - low <= 10, s"from $low to $high of $span")
    }
    assert(s.values.forall(_ > 18999))
    assert(s.sortedRows.size < 200)
    assertEquals(s.description.retention, Some(1000L))
    val refused = intercept[Refusal](s.restrict(last(1001), None))
    assertEquals(refused.condition, "CHRONOSKETCH_BEYOND_RETENTION")
    all.merge(s)
    assertEquals(all.retention, 1000L)
    assert(all.values.forall(_ > 18999))
  }

  test("windows that combine spans, and windows that a sample does not support") {
    val s = sketch(10)
    (0 until 1000).foreach(i => s.insert(i.toLong, i.toLong, 0))
    def of(c: Constraint): Seq[Long] = s.restrict(c, None).values.toSeq
    assertEquals(of(Constraint.And(last(3), last(900))), Seq(997L, 998, 999))
    assertEquals(of(Constraint.Or(last(3), last(5))), (995L to 999L).toSeq)
    assertEquals(of(last(0)), Nil)
    assertEquals(of(last(Long.MaxValue)), s.values.toSeq)
    val refused = intercept[Refusal](of(Constraint.And(last(3), Constraint.AmongLast(5))))
    assertEquals(refused.condition, "CHRONOSKETCH_SAMPLE_OF_LAST_ROWS")
    // a time between two rows, and one after all rows
    assertEquals(s.restrict(last(3), Some(1001L)).values.toSeq, Seq(999L))
    assertEquals(s.restrict(last(3), Some(5000L)).count, 0L)
    assertEquals(s.restrict(last(3), Some(-1L)).values.toSeq, Nil)
  }

  test("a window without sampled rows has no quantile, but bounds") {
    val s = sketch(1)
    (0 until 5000).foreach(i => s.insertRow(i.toLong, i.toLong, i.toLong))
    val empty = (1 to 40).map(i => s.restrict(last(100), Some(100L * i))).find(_.values.isEmpty).get
    assertEquals(empty.quantiles, None)
    assertEquals(empty.minimum, None)
    assertEquals(empty.rankError, 1.0)
    assertEquals(empty.profile.quantileBounds(Phi(0.5)), (0L, 4999L))
    val (low, high) = empty.countBounds
    assert(low <= 100 && 100 <= high)
  }

  test("a merged sketch has the smaller size and the greater δ") {
    val (a, b) = (sketch(500, 1L, 1e-3), sketch(100, 2L, 1e-5))
    (0L until 3000L).foreach { i => a.insert(i, i, 0); b.insert(i + 10000, i, 0) }
    a.merge(b)
    assertEquals(a.header.numbers, Seq(100.0, 1.0, 1e-3))
    assertEquals(a.values.length, 100)
    val (x, y) = (a.restrict(last(2000), None), b.restrict(last(100), None))
    x.merge(y)
    assertEquals(x.values.length, 100)
    assertEquals((x: Sampled).confidence, 1 - 1e-3)
  }
}

object WindowSampleSuite {
  private val phis = Seq("0", "0.01", "0.5", "0.9", "1").map(text => Phi(new java.math.BigDecimal(text)))

  /** A normal variable is further from its mean than this many standard deviations once in 31 000 times. */
  val Sigmas = 4.0
  val Rows = 60
  val Size = 12
  val Trials = 8000

  /** The value that χ² with these degrees of freedom exceeds equally rarely (Wilson, Hilferty 1931). */
  def mostChiSquare(degrees: Int): Double = {
    val part = 2.0 / (9 * degrees)
    degrees * math.pow(1 - part + Sigmas * math.sqrt(part), 3)
  }

  def chiSquare(counts: Seq[Long], variance: Double => Double): Double = {
    val mean = counts.sum.toDouble / counts.size
    counts.map(c => (c - mean) * (c - mean) / variance(mean)).sum
  }

  final case class Row(key: Long, time: Long, id: Long)

  /** Stores all rows. */
  object Oracle {
    private val salt = chronosketch.sample.Draws.salt(1L)
    def priority(row: Row): Long = chronosketch.sample.Draws.priorityOf(salt, row.id, row.key)

    /** The rows, sorted, that have fewer than `size` other rows ahead of them which are not older. */
    def kept(rows: Seq[Row], size: Int): Seq[(Long, Long, Long)] = {
      val inTurn = rows.map(r => (r.time, priority(r), r.key)).sorted
      inTurn.zipWithIndex.filter { case ((time, priority, key), i) =>
        val ahead = inTurn.indices.iterator.filter { j =>
          val (t, p, k) = inTurn(j)
          j != i && t >= time && {
            if (p != priority) p < priority
            else if (t != time) true
            else if (k != key) k < key
            else j < i
          }
        }
        ahead.take(size).size < size
      }.map(_._1)
    }
  }
}
