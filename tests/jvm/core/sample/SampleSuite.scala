package chronosketch.sample

import java.util.SplittableRandom

import chronosketch.{Refusal, Suite}
import chronosketch.domain.Domain
import chronosketch.families.Families
import chronosketch.grouped.{GroupedInserts, NumberedPart}
import chronosketch.memory.Meter
import chronosketch.rank.Phi
import chronosketch.summary.Envelope

/** Tests that samples are drawn uniformly, with fixed seeds and computed thresholds. */
class SampleSuite extends Suite {
  private def recipe(family: SampleFamily[Sample], size: Int, seed: Long, delta: Double = 1e-4) =
    SampleRecipe[Sample](family, Domain.BigInt, size, seed, delta)(StreamIds.Alone)

  /** A normal variable is further from its mean than this many standard deviations once in 31 000 times. */
  private val Sigmas = 4.0

  /** The value that χ² with these degrees of freedom exceeds equally rarely (Wilson, Hilferty 1931). */
  private def mostChiSquare(degrees: Int): Double = {
    val part = 2.0 / (9 * degrees)
    degrees * math.pow(1 - part + Sigmas * math.sqrt(part), 3)
  }

  private val Rows = 60
  private val Size = 12
  private val Trials = 20000

  /** Ways to build a sample of the rows 0 until [[Rows]]. */
  private val ways: Seq[(String, (SampleFamily[Sample], Long) => Sample)] = Seq(
    "one by one" -> { (family, seed) =>
      val s = recipe(family, Size, seed).empty
      (0 until Rows).foreach(i => s.insert(i.toLong))
      s
    },
    "in parts" -> { (family, seed) =>
      val sampleRecipe = recipe(family, Size, seed).inPart(3)
      val parts = Seq(0 until 7, 7 until 30, 30 until 31, 31 until Rows).map { rows =>
        val s = sampleRecipe.empty
        rows.foreach(i => s.insert(i.toLong))
        s
      }
      val (left, right) = (parts(0), parts(2))
      left.merge(parts(1))
      right.merge(parts(3))
      left.merge(right)
      left
    },
    "in parts of a query" -> { (family, seed) =>
      // up to 18 rows of a part are handed on as they came
      val parts = Seq(0 until 7, 7 until 25, 25 until 47, 47 until Rows).zipWithIndex.map { case (rows, i) =>
        val part = new GroupedInserts(recipe(family, Size, seed).inPart(i), new Meter)
        rows.foreach(row => part.insert(0, row.toLong))
        part.sealPart(0)
      }
      val whole = new GroupedInserts(recipe(family, Size, seed).inPart(0), new Meter)
      parts.foreach(whole.keepPart(0, _))
      Families.open(whole.seal(0)).asInstanceOf[Sample]
    },
    "through bytes, and more rows after" -> { (family, seed) =>
      val s = recipe(family, Size, seed).empty
      (0 until 40).foreach(i => s.insert(i.toLong))
      val back = Families.open(Envelope.seal(s)).asInstanceOf[Sample]
      (40 until Rows).foreach(i => back.insert(i.toLong))
      back
    }
  )

  test("merging an empty sample does not change the rows that are drawn later") {
    for (family <- SampleFamily.all) {
      val (merged, plain) = (recipe(family, Size, 7).empty, recipe(family, Size, 7).empty)
      Seq(merged, plain).foreach(s => (0 until 20).foreach(i => s.insert(i.toLong)))
      merged.merge(recipe(family, Size, 7).empty)
      Seq(merged, plain).foreach(s => (20 until Rows).foreach(i => s.insert(i.toLong)))
      assertEquals(Envelope.seal(merged).toSeq, Envelope.seal(plain).toSeq, family.toString)
    }
  }

  /** A sample that draws for each row as it arrives: the slow twin. */
  private def drawing(family: SampleFamily[Sample], size: Int): Sample = {
    val s = recipe(family, size, 5).empty
    assertEquals(s.values.toSeq, Nil)
    s
  }

  test("rows that wait to be drawn give the bytes of rows that are drawn one by one") {
    for {
      family <- SampleFamily.all
      size <- Seq(1, 2, 10, 100)
      n <- Seq(0, 1, size - 1, size, size + 1, 3 * size / 2 - 1, 3 * size / 2, 3 * size / 2 + 1, 7 * size)
      duplicates <- Seq(1L, 3L, 1L << 40)
    } {
      val random = new SplittableRandom(n.toLong)
      val rows = Array.fill(n)(random.nextLong(duplicates) - 5)
      val what = s"$family, size $size, $n rows"
      val twin = drawing(family, size)
      rows.foreach(twin.insert)
      val singly, many, mixed = recipe(family, size, 5).empty
      rows.foreach(singly.insert)
      val cuts = (Seq.fill(3)(random.nextInt(n + 1)) ++ Seq(0, n)).sorted
      cuts.zip(cuts.tail).foreach { case (from, until) => many.insertAll(rows, from, until) }
      cuts.zip(cuts.tail).zipWithIndex.foreach { case ((from, until), i) =>
        if (i % 2 == 0) (from until until).foreach(j => mixed.insert(rows(j)))
        else mixed.insertAll(rows, from, until)
        // asked in between, it draws at once
        if (i == 2) assertEquals(mixed.values.length.toLong, mixed.description.kept.get, what)
      }
      Seq(singly, many, mixed).foreach { s =>
        assertEquals(s.count, n.toLong, what)
        assertEquals((s.minimum, s.maximum), (twin.minimum, twin.maximum), what)
        assertEquals(Envelope.seal(s).toSeq, Envelope.seal(twin).toSeq, what)
      }
      // later rows, copies and unions continue alike
      val merged, mergedTwin = recipe(family, size, 9).empty
      (0 until size).foreach { i => merged.insert(i.toLong); mergedTwin.insert(i.toLong) }
      val (waiting, drawn) = (recipe(family, size, 5).empty, drawing(family, size))
      rows.foreach { row => waiting.insert(row); drawn.insert(row) }
      Seq(waiting, drawn).foreach { s => s.insert(8L, 100L); s.insert(9L) }
      merged.merge(waiting)
      mergedTwin.merge(drawn)
      assertEquals(Envelope.seal(merged).toSeq, Envelope.seal(mergedTwin).toSeq, what)
    }
  }

  test("a task hands up to 1.5 times the size of rows on, and a sample of more") {
    for (family <- SampleFamily.all; n <- Seq(1, 99, 100, 149, 150, 1000)) {
      val part = new GroupedInserts(recipe(family, 100, 1), new Meter)
      (0 until n).foreach(i => part.insert(0, i.toLong))
      assertEquals(isRows(part.sealPart(0)), n < 150, s"$family, $n rows")
      val duplicates = new GroupedInserts(recipe(family, 100, 1), new Meter)
      (0 until n).foreach(i => duplicates.insert(0, i % 3L))
      assertEquals(isRows(duplicates.sealPart(0)), n == 1, s"$family, $n duplicates")
    }
  }

  private def isRows(part: Array[Byte]): Boolean =
    NumberedPart.isNumbered(part) && NumberedPart.withoutNumber(part)(0) == 0

  test("a part has a number if its rows, or the union with other parts, are to be drawn") {
    for (family <- SampleFamily.all; n <- Seq(1, 149, 150)) {
      val task = new GroupedInserts(recipe(family, 100, 1).inPart(2), new Meter)
      (0 until n).foreach(i => Seq(0, 1).foreach(task.insert(_, i.toLong)))
      val parts = Seq(0, 1).map(task.sealPart)
      val isNumbered = n < 150 || (family eq ReservoirSamples)
      parts.foreach(part => assertEquals(NumberedPart.isNumbered(part), isNumbered, s"$family, $n rows"))
      assert(!parts(0).sameElements(parts(1)), s"$family, $n rows")
      if (!isNumbered) assert(parts(0).sameElements(task.seal(0)), s"$family, $n rows")
    }
  }

  test("groups with the very same rows in every task are drawn independently") {
    val tasks = 3
    for (family <- SampleFamily.all; n <- Seq(50, 64, 99, 100, 149, 150, 400)) {
      val united = new GroupedInserts(recipe(family, 100, 1).inPart(0), new Meter)
      val groups = 0 until 20
      (0 until tasks).foreach { task =>
        val part = new GroupedInserts(recipe(family, 100, 1).inPart(task), new Meter)
        (0 until n).foreach(i => groups.foreach(part.insert(_, (task * n + i).toLong)))
        groups.foreach(group => united.keepPart(group, part.sealPart(group)))
      }
      val drawn =
        groups.map(group => Families.open(united.seal(group)).asInstanceOf[Sample].values.toSet)
      // the number of rows that two groups both draw has a hypergeometric distribution
      val rows = (tasks * n).toDouble
      var both, mean, variance = 0.0
      for (a <- groups; b <- groups if a < b) {
        val share = drawn(b).size / rows
        both += drawn(a).intersect(drawn(b)).size
        mean += drawn(a).size * share
        variance += drawn(a).size * share * (1 - share) * (rows - drawn(a).size) / (rows - 1)
      }
      assert(math.abs(both - mean) < Sigmas * math.sqrt(variance), s"$family, $n rows: $both, not $mean")
    }
  }

  for (family <- SampleFamily.all; (way, make) <- ways)
    test(s"$family, $way: each row is in as often as any other, and so is each pair of rows") {
      val times = new Array[Long](Rows)
      val pairs = Array.ofDim[Long](Rows, Rows)
      var kept = 0L
      (0 until Trials).foreach { trial =>
        val rows = make(family, trial.toLong).values.map(_.toInt)
        kept += rows.length
        rows.foreach { a =>
          times(a) += 1
          rows.foreach(b => if (b > a) pairs(a)(b) += 1)
        }
      }
      def chiSquare(counts: Seq[Long], variance: Double => Double): Double = {
        val mean = counts.sum.toDouble / counts.size
        counts.map(c => (c - mean) * (c - mean) / variance(mean)).sum
      }
      // drawn without replacement: the variance is slightly less than for independent draws
      val share = kept.toDouble / Trials / Rows
      val ofRows = chiSquare(times.toSeq, mean => mean * (1 - share) * Rows / (Rows - 1))
      assert(ofRows < mostChiSquare(Rows - 1), s"rows: $ofRows")
      val all = for (a <- 0 until Rows; b <- a + 1 until Rows) yield pairs(a)(b)
      val ofPairs = chiSquare(all, mean => mean)
      assert(ofPairs < mostChiSquare(all.size - 1), s"pairs: $ofPairs")
    }

  for (family <- SampleFamily.all)
    test(s"$family: n copies are drawn as n rows") {
      // inserts 1 000 copies of 1 after 3 000 rows, and then 1 000 000 copies of 7
      var ones, sevens, kept = 0L
      (0 until 2000).foreach { trial =>
        val s = recipe(family, 100, trial.toLong).empty
        (0 until 1000).foreach(i => s.insert(100L + i))
        s.insert(1L, 1000L)
        (0 until 1000).foreach(i => s.insert(100L + i))
        val values = s.values
        kept += values.length
        ones += values.count(_ == 1L)
        val t = recipe(family, 10, trial.toLong).empty
        t.insert(7L, 1000000L)
        t.insert(8L, 3000000L)
        sevens += t.values.count(_ == 7L)
        assertEquals(t.count, 4000000L)
      }
      val sigma = math.sqrt(kept * (1 / 3.0) * (2 / 3.0))
      assert(math.abs(ones - kept / 3.0) < Sigmas * sigma, s"$ones of $kept")
      if (family ne BernoulliSamples)
        assert(math.abs(sevens - 5000.0) < Sigmas * math.sqrt(20000 * 0.25 * 0.75), s"$sevens of 20000")
    }

  for (family <- SampleFamily.all; delta <- Seq(0.5, 0.1))
    test(
      s"$family: its bounds hold all at once with the probability, $delta, and are no wider than they must be"
    ) {
      val trials = 1000
      var missed = 0
      var errors = 0.0
      (0 until trials).foreach { trial =>
        val random = new SplittableRandom(trial.toLong)
        // skewed, with ties
        val rows = Array.fill(3000)((math.pow(random.nextDouble(), 4) * 2000).toLong)
        val s = recipe(family, 200, trial.toLong, delta).empty
        s.insertAll(rows, 0, rows.length)
        val upTo = new Array[Long](2001)
        rows.foreach(key => upTo(key.toInt) += 1)
        (1 to 2000).foreach(key => upTo(key) += upTo(key - 1))
        val p = s.profile
        val truth = (0L to 2000L by 5).forall { key =>
          val (low, high) = p.rankBounds(p.position(key))
          val exact = upTo(key.toInt)
          low <= exact && exact <= high
        }
        if (!truth) missed += 1
        errors += s.rankError
      }
      assert(missed <= delta * trials, s"$missed of $trials")
      val m = if (family eq BernoulliSamples) 100 else 200
      assert(errors / trials <= math.sqrt(math.log(16 / delta) / (2.0 * m)) + 1.0 / m, s"${errors / trials}")
    }

  test("with row identities, priority and Bernoulli samples do not depend on order and parts") {
    for (family <- Seq(PrioritySamples, BernoulliSamples)) {
      val rows = (0L until 5000L).map(i => (i * i % 997, i))
      def sample(some: Seq[(Long, Long)]): IdentifiedSample = {
        val s = SampleRecipe[IdentifiedSample](family, Domain.BigInt, 300, 7L, 1e-3)(StreamIds.Alone).empty
        some.foreach { case (key, id) => s.insertPair(key, id) }
        s
      }
      val whole = sample(rows)
      val parts = new scala.util.Random(5).shuffle(rows).grouped(321).map(sample).toSeq
      val merged = parts.head
      parts.tail.foreach { part => merged.merge(Families.open(Envelope.seal(part))) }
      assertEquals(Envelope.seal(merged).toSeq, Envelope.seal(whole).toSeq)
      val other = SampleRecipe[IdentifiedSample](family, Domain.BigInt, 300, 8L, 1e-3)(StreamIds.Alone).empty
      rows.foreach { case (key, id) => other.insertPair(key, id) }
      assertNotEquals(other.values.toSeq, whole.values.toSeq)
    }
  }

  test("equal rows in two samples of a partition are drawn independently, so that their union is precise") {
    for (family <- SampleFamily.all) {
      val sampleRecipe = recipe(family, 400, 1L).inPart(0)
      // 60 equal days
      val days = Seq.fill(60) {
        val s = sampleRecipe.empty
        (0 until 2000).foreach(i => s.insert((i % 1000).toLong))
        s
      }
      days.tail.foreach(days.head.merge(_))
      val kept = days.head.values
      val share = kept.count(_ < 500).toDouble / kept.length
      assert(math.abs(share - 0.5) < Sigmas * 0.5 / math.sqrt(kept.length.toDouble), s"$family: $share")
    }
  }

  test("a sample of the size for ε and δ has an error of at most ε") {
    for (epsilon <- Seq(0.5, 0.25, 0.1, 0.02); delta <- Seq(0.5, 1e-2, 1e-6)) {
      val size = SampleSize.of(epsilon, delta)
      assert(size >= math.log(1 / (epsilon * delta)) / (epsilon * epsilon))
      val s = recipe(ReservoirSamples, size, 3L, delta).empty
      val rows = 20 * size
      (0 until rows).foreach(i => s.insert((i * 7919L) % rows))
      assert(s.rankError <= epsilon + 1.0 / rows, s"$epsilon, $delta: $size rows, ${s.rankError}")
      assert(s.epsilon <= epsilon)
    }
    assertEquals(SampleSize.of(0.01, 1e-4), 138156)
    val refused = intercept[Refusal](SampleSize.of(1e-4, 1e-4))
    assertEquals(refused.condition, "CHRONOSKETCH_SAMPLE_TOO_LARGE")
  }

  test("quantiles equal the sample's, and ranks are scaled from the sample") {
    val s = recipe(ReservoirSamples, 1000, 11L).empty
    (0L until 100000L).foreach(i => s.insert(i))
    val values = s.values
    assertEquals(s.quantile(Phi(0.5)), values(499))
    assertEquals(s.quantile(Phi(0.99)), values(989))
    val p = s.estimates
    assertEquals(p.rank(p.position(values(249))), 25000L)
    assertEquals(s.description.confidence, Some(1 - 1e-4))
    assertEquals(s.description.kept, Some(1000L))
  }

  test("a merged sample has the smaller size and the greater δ") {
    for (family <- SampleFamily.all) {
      val (a, b) = (recipe(family, 500, 1L, 1e-3).empty, recipe(family, 100, 2L, 1e-5).empty)
      (0L until 2000L).foreach { i => a.insert(i); b.insert(i + 10000) }
      a.merge(b)
      assertEquals(a.header.numbers, Seq(100.0, 1.0, 1e-3))
      assert(a.values.length <= 100)
      b.merge(recipe(family, 50, 3L).empty)
      assertEquals(b.header.numbers(0), 50.0)
      assert(b.values.length <= 50 && b.values.length >= 10)
    }
  }

  test("with forged priorities, too, the union does not depend on the order of the parts") {
    // each is a sample of one row, whose priority 0 no real sample has
    def forged(row: String): Sample = {
      val start = "4348525301000000310d030000033ff0000000000000401c0000000000003f847ae147ae147b01"
      val hex = start + row
      Families.open(hex.grouped(2).map(Integer.parseInt(_, 16).toByte).toArray).asInstanceOf[Sample]
    }
    def union(rows: String*): Array[Byte] = {
      val samples = rows.map(forged)
      samples.tail.foreach(samples.head.merge(_))
      Envelope.seal(samples.head)
    }
    val (five, three) = ("0a0000010000fb675f51", "06000001000029947039")
    assert(union(five, three).sameElements(union(three, five)))
  }
}
