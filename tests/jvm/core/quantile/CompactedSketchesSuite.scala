package chronosketch.quantile

import java.util.SplittableRandom

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.Families
import chronosketch.summary.{Certificate, Distribution, Distributions, Envelope, ExactBag}
import chronosketch.{Cases, Suite}

/** Tests unions that are compacted before they are stored: their certificates, and their bytes beside those of sketches that are built. */
class CompactedSketchesSuite extends Suite {
  private val Seed = 11L

  private def built(d: Distribution, epsilon: Double, keys: Array[Long]): GreenwaldKhanna = {
    val sketch = new GreenwaldKhanna(d.domain, epsilon)
    keys.foreach(sketch.insert(_))
    sketch
  }

  private def union(domain: Domain, epsilon: Double, parts: Seq[Array[Byte]]): GreenwaldKhanna = {
    val all = new GreenwaldKhanna(domain, epsilon)
    parts.foreach { part =>
      val stored = Envelope.StoredHeader.of(part, Families.byId)
      stored.header.mergeInto(all, stored.payload(part))
    }
    all
  }

  private def compacted(domain: Domain, epsilon: Double, parts: Seq[Array[Byte]]): Array[Byte] = {
    val all = union(domain, epsilon, parts)
    all.compact()
    Envelope.seal(all)
  }

  test("trees of unions, some of which are compacted, keep their certificates") {
    for ((d, i) <- Distributions.all.zipWithIndex; epsilon <- Cases.turn(i, Seq(0.01, 0.05, 0.002))) {
      val random = new SplittableRandom(Seed + i)
      var parts = Seq.fill(Cases.of(60)) {
        val keys = d.sample(random.nextInt(if (random.nextInt(3) == 0) 3000 else 200), random.nextLong())
        (Envelope.seal(built(d, epsilon, keys)), keys)
      }
      while (parts.size > 1) {
        val some = 2 + random.nextInt(6)
        val whole = union(d.domain, epsilon, parts.take(some).map(_._1))
        val keys = parts.take(some).map(_._2).toArray.flatten
        val isCompacted = random.nextInt(3) > 0
        if (isCompacted) whole.compact()
        val label = s"${d.name}, ε = $epsilon, ${keys.length} values of $some parts, compacted: $isCompacted"
        assertEquals(Certificate.violations(whole, ExactBag.of(keys), merged = true).take(3), Nil, label)
        parts = parts.drop(some) :+ (Envelope.seal(whole) -> keys)
      }
    }
  }

  test("values that were only inserted or united exactly use no more of ε than a sketch that is built") {
    Distributions.all.foreach { d =>
      val keys = d.sample(700, Seed)
      val parts = keys.grouped(100).toSeq.map(some => Envelope.seal(built(d, 0.01, some)))
      // sorted bags are united to a larger one, which is exact up to 8/ε values
      val halves = parts.grouped(2).toSeq.map(half => Envelope.seal(union(d.domain, 0.01, half)))
      val whole = union(d.domain, 0.01, halves)
      whole.compact()
      assertEquals(Certificate.violations(whole, ExactBag.of(keys), merged = false).take(3), Nil, d.name)
      assert(whole.tuples <= 2 / 0.01, s"${d.name}: ${whole.tuples} tuples")
    }
  }

  test("what ε does not allow to drop stays, and compacting is not repeated") {
    for (n <- Seq(0, 1, 200); distinct <- Seq(1, 1 << 20)) {
      val random = new SplittableRandom(Seed)
      val exact = built(Distributions.sorted, 0.01, Array.fill(n)(random.nextInt(distinct).toLong))
      val before = Envelope.seal(exact).toSeq
      exact.compact()
      assertEquals(Envelope.seal(exact).toSeq, before)
    }
    val exact = built(Distributions.sorted, 0.0, Array.tabulate(5000)(_.toLong))
    exact.compact()
    assert(exact.profile.isExact)
    val parts = Distributions.random.head.sample(30000, Seed).grouped(1000).toSeq
    val whole =
      union(Domain.Double, 0.01, parts.map(k => Envelope.seal(built(Distributions.random.head, 0.01, k))))
    whole.compact()
    val once = Envelope.seal(whole).toSeq
    whole.compact()
    assertEquals(Envelope.seal(whole).toSeq, once)
  }

  /** Latencies in milliseconds, with three decimals. */
  private val latencies = Distribution(
    "latencies",
    Domain.Double,
    (n, random) =>
      Array.fill(n) {
        val normal =
          math.sqrt(-2 * math.log(1 - random.nextDouble())) * math.cos(2 * math.Pi * random.nextDouble())
        DoubleKeys.key((math.exp(4 + 0.8 * normal) * 1000).round / 1000.0)
      }
  )

  private val levels = Seq(6, 24, 7 * 24, 30 * 24, 90 * 24)

  /** The bytes of all levels, divided by those of the hours, as docs/rollups.md has them. */
  private val published = Map(
    (30, 0.01) -> 2.1,
    (30, 0.001) -> 3.0,
    (300, 0.01) -> 1.3,
    (300, 0.001) -> 2.2,
    (3000, 0.01) -> 1.3,
    (3000, 0.001) -> 1.3
  )

  for (perHour <- Seq(30, 300, 3000); epsilon <- Seq(0.01, 0.001)) test(
    s"six levels of 90 days, $perHour values an hour, ε = $epsilon: no row has twice the bytes of a sketch of its values"
  ) {
    val values = latencies.sample(90 * 24 * perHour, Seed).grouped(perHour).toIndexedSeq
    val hours = values.map(hour => Envelope.seal(built(latencies, epsilon, hour)))
    val finest = hours.map(_.length.toLong).sum
    // rows are united from hours, in one step or hour by hour
    var all = finest
    levels.foreach { length =>
      val rows = hours.grouped(length).map(compacted(latencies.domain, epsilon, _)).toSeq
      all += rows.map(_.length.toLong).sum
      val first = values.take(length).toArray.flatten
      val direct = Envelope.seal(built(latencies, epsilon, first)).length
      val steps = hours.take(length).tail.foldLeft(hours.head) { (row, hour) =>
        compacted(latencies.domain, epsilon, Seq(row, hour))
      }
      Seq("at once" -> rows.head, "hour by hour" -> steps).foreach { case (how, row) =>
        assert(row.length <= 2 * direct, s"$length hours $how: ${row.length} bytes, built: $direct")
        val whole = union(latencies.domain, epsilon, Seq(row))
        assertEquals(Certificate.uncertified(whole.profile, ExactBag.of(first)).take(3), Nil)
        assert(whole.profile.rankError <= epsilon, s"$length hours $how: ${whole.profile.rankError}")
      }
    }
    // while coarser rows have fewer than 2/ε values, they have all values of the hours once more
    val exact = 1 + levels.count(_ * perHour <= 2 / epsilon)
    assert(all <= (exact + 1.1) * finest, f"${all.toDouble / finest}%.2f times the bytes of the hours")
    assertEquals((10.0 * all / finest).round / 10.0, published((perHour, epsilon)))
  }

  test("rows of rows that came in many steps are within ε, and have at most three times the bytes") {
    for (perHour <- Seq(300, 3000); epsilon <- Seq(0.01)) {
      val values = latencies.sample(7 * 24 * perHour, Seed).grouped(perHour).toIndexedSeq
      val hours = values.map { hour =>
        hour.grouped(perHour / 12).map(some => Envelope.seal(built(latencies, epsilon, some))).reduce {
          (row, some) => compacted(latencies.domain, epsilon, Seq(row, some))
        }
      }
      for (length <- Seq(6, 24, 7 * 24)) {
        val row = compacted(latencies.domain, epsilon, hours.take(length))
        val all = values.take(length).toArray.flatten
        val whole = union(latencies.domain, epsilon, Seq(row))
        assertEquals(Certificate.violations(whole, ExactBag.of(all), merged = true).take(3), Nil)
        val direct = Envelope.seal(built(latencies, epsilon, all)).length
        assert(row.length <= 3 * direct, s"$length hours: ${row.length} bytes, built: $direct")
      }
      // what is queried is a union of stored rows
      val days = hours.grouped(24).map(compacted(latencies.domain, epsilon, _)).toSeq
      val whole = union(latencies.domain, epsilon, days)
      assertEquals(
        Certificate.violations(whole, ExactBag.of(values.toArray.flatten), merged = true).take(3),
        Nil
      )
      assert(whole.tuples <= 8 / epsilon, s"${whole.tuples} tuples")
    }
  }
}
