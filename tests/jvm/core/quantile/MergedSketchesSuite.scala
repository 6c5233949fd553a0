package chronosketch.quantile

import java.util.SplittableRandom

import chronosketch.Suite
import chronosketch.domain.Domain
import chronosketch.rank.RankProfile
import chronosketch.summary.{Certificate, Distributions, Envelope, ExactBag}

/** Tests merges of many sketches: certified answers for any order of merging, and few tuples. */
class MergedSketchesSuite extends Suite {
  private val Seed = 5L
  private val Epsilon = 0.01

  private def sketch(keys: Array[Long], epsilon: Double = Epsilon): GreenwaldKhanna = {
    val s = new GreenwaldKhanna(Domain.BigInt, epsilon)
    keys.foreach(s.insert(_))
    s
  }

  private def union(parts: Seq[Array[Byte]]): GreenwaldKhanna = {
    val all = new GreenwaldKhanna(Domain.BigInt, Epsilon)
    parts.foreach(part => merge(all, part))
    all
  }

  private def merge(into: GreenwaldKhanna, part: Array[Byte]): Unit = {
    val header = Envelope.StoredHeader.of(part, chronosketch.families.Families.byId)
    header.header.mergeInto(into, header.payload(part))
  }

  private def steps(p: RankProfile) = (0 until p.size).map(i => (p.key(i), p.rankBounds(i)))

  test("waiting lists give the same bounds as uniting them one after another") {
    val random = new SplittableRandom(Seed)
    for (lists <- 0 to 20; distinct <- Seq(3L, 300L, 1L << 50)) {
      val waiting, others = new WaitingTuples
      var expected = new Tuples
      for (i <- 0 until lists) {
        val part = sketch(Array.fill(random.nextInt(3000))(random.nextLong(distinct)))
        (if (i % 3 == 2) others else waiting).add(part.summarised)
        val union = new UnitedTuples
        union.combine(expected, part.summarised)
        val count = expected.count + part.summarised.count
        expected = new Tuples
        expected.assign(union)
        expected.count = count
      }
      waiting.addAll(others)
      assertEquals(waiting.count, expected.count)
      val drained = waiting.drain(new Tuples)
      assertEquals(drained.count, expected.count)
      assertEquals(steps(drained.profile), steps(expected.profile), s"$lists lists, $distinct keys")
      assert(waiting.isEmpty && waiting.tuples == 0 && waiting.count == 0)
    }
  }

  test("merging days into months and months into a year: certified answers and few tuples") {
    Distributions.all.foreach { d =>
      val keys = d.sample(30 * 12 * 1000, Seed)
      val months = keys.grouped(30000).toSeq.map { month =>
        val days = month.grouped(1000).map(day => Envelope.seal(sketch(day))).toSeq
        val whole = union(days)
        assertEquals(Certificate.violations(whole, ExactBag.of(month), merged = true).take(3), Nil, d.name)
        assert(whole.tuples <= 3.2 / Epsilon, s"${d.name}: a month has ${whole.tuples} tuples")
        Envelope.seal(whole)
      }
      val year = union(months)
      assertEquals(Certificate.violations(year, ExactBag.of(keys), merged = true).take(3), Nil, d.name)
      // how much of ε a first union leaves for a second one depends on the input
      assert(year.tuples <= 4.5 / Epsilon, s"${d.name}: a year has ${year.tuples} tuples")
    }
  }

  test("exact stored sketches are inserted, which uses only half of the error limit") {
    Distributions.all.foreach { d =>
      val keys = d.sample(40000, Seed)
      val parts = keys.grouped(180).map(some => Envelope.seal(sketch(some))).toSeq
      val whole = union(parts)
      assertEquals(Certificate.violations(whole, ExactBag.of(keys), merged = false).take(3), Nil, d.name)
    }
  }

  test("tuples of values inserted after a merge do not accumulate") {
    val keys = Distributions.random.head.sample(600000, Seed)
    val whole = union(keys.take(400000).grouped(1000).map(day => Envelope.seal(sketch(day))).toSeq)
    whole.tuples
    keys.drop(400000).foreach(whole.insert(_))
    assertEquals(Certificate.violations(whole, ExactBag.of(keys), merged = true).take(3), Nil)
    assert(whole.tuples <= 8 / Epsilon, s"${whole.tuples} tuples")
  }

  test("a sketch with waiting tuples can be merged into another, and queried in between") {
    val keys = Distributions.random.head.sample(200000, Seed)
    val parts = keys.grouped(1000).map(sketch(_)).toSeq
    val halves = parts.grouped(100).toSeq.map { half =>
      half.tail.zipWithIndex.foreach { case (part, i) =>
        half.head.merge(part)
        if (i % 17 == 0) half.head.profile
      }
      half.head
    }
    val before = halves(1).count
    halves.head.merge(halves(1))
    assertEquals(halves(1).count, before)
    val (first, second) = keys.splitAt(100000)
    assertEquals(Certificate.violations(halves(1), ExactBag.of(second), merged = true).take(3), Nil)
    assertEquals(
      Certificate.violations(halves.head, ExactBag.of(first ++ second), merged = true).take(3),
      Nil
    )
  }

  test("querying or storing a sketch twice gives the same result") {
    val keys = Distributions.random.head.sample(100000, Seed)
    val whole = union(keys.grouped(1000).map(day => Envelope.seal(sketch(day))).toSeq)
    val first = steps(whole.profile)
    val bytes = Envelope.seal(whole)
    assertEquals(steps(whole.profile), first)
    assert(java.util.Arrays.equals(Envelope.seal(whole), bytes))
  }
}
