package chronosketch.quantile

import java.util.SplittableRandom

import chronosketch.domain.Domain
import chronosketch.rank.RankProfile
import chronosketch.summary.{Certificate, Distributions, Envelope, ExactBag}

/** What many merged sketches become: true, however they come, and small. */
class MergedSuite extends munit.FunSuite {
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

  test("lists that wait become what uniting one after another makes of them") {
    val random = new SplittableRandom(Seed)
    for (lists <- 0 to 20; distinct <- Seq(3L, 300L, 1L << 50)) {
      val waiting, others = new WaitingTuples
      var twin = new Tuples
      for (i <- 0 until lists) {
        val some = sketch(Array.fill(random.nextInt(3000))(random.nextLong(distinct)))
        some.tuples
        (if (i % 3 == 2) others else waiting).add(some.summarised)
        val scratch = new TupleScratch
        scratch.combine(twin, some.summarised)
        val count = twin.count + some.summarised.count
        twin = new Tuples
        twin.assign(scratch)
        twin.count = count
      }
      waiting.addAll(others)
      assertEquals(waiting.count, twin.count)
      val drained = waiting.drain(new Tuples)
      assertEquals(drained.count, twin.count)
      assertEquals(steps(drained.profile), steps(twin.profile), s"$lists lists, $distinct keys")
      assert(waiting.isEmpty && waiting.tuples == 0 && waiting.count == 0)
    }
  }

  test("months of days, and a year of months: true, and few tuples") {
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
      // what is left of ε for a second union differs from input to input
      assert(year.tuples <= 4.5 / Epsilon, s"${d.name}: a year has ${year.tuples} tuples")
    }
  }

  test("stored sketches that know every element are inserted: half of ε is left") {
    Distributions.all.foreach { d =>
      val keys = d.sample(40000, Seed)
      val parts = keys.grouped(180).map(some => Envelope.seal(sketch(some))).toSeq
      val whole = union(parts)
      assertEquals(Certificate.violations(whole, ExactBag.of(keys), merged = false).take(3), Nil, d.name)
    }
  }

  test("what is inserted after merging does not pile up") {
    val keys = Distributions.random.head.sample(600000, Seed)
    val whole = union(keys.take(400000).grouped(1000).map(day => Envelope.seal(sketch(day))).toSeq)
    whole.tuples
    keys.drop(400000).foreach(whole.insert(_))
    assertEquals(Certificate.violations(whole, ExactBag.of(keys), merged = true).take(3), Nil)
    assert(whole.tuples <= 8 / Epsilon, s"${whole.tuples} tuples")
  }

  test("a live sketch that others wait in is merged as it is, and asked in between") {
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

  test("asking or storing twice changes nothing") {
    val keys = Distributions.random.head.sample(100000, Seed)
    val whole = union(keys.grouped(1000).map(day => Envelope.seal(sketch(day))).toSeq)
    val asked = steps(whole.profile)
    val bytes = Envelope.seal(whole)
    assertEquals(steps(whole.profile), asked)
    assert(java.util.Arrays.equals(Envelope.seal(whole), bytes))
  }
}
