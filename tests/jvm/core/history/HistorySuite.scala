package chronosketch.history

import chronosketch.{Cases, Refusal, Suite}
import chronosketch.domain.Domain
import chronosketch.memory.Meter
import chronosketch.rank.Phi
import chronosketch.summary.SummaryLaws

/** Tests that a history's claims hold at every version, and its rules for versions and deletes. */
class HistorySuite extends Suite {
  private val recipe = HistoryRecipe(Domain.BigInt, 0.1, Domain.BigInt)
  private val median = Phi(0.5)

  private val phis = Seq(0.0, 0.01, 0.02, 0.1, 0.25, 0.5, 0.6667, 0.9, 0.95, 0.97, 0.99, 1.0).map(Phi(_))

  private def of(updates: (Long, Long, Long)*): HistorySketch = {
    val builder = recipe.builder
    updates.foreach { case (version, key, change) => builder.update(version, key, change) }
    builder.result()
  }

  test("random histories: bounds, errors and direct quantiles hold at all versions") {
    (1 to Cases.of(100)).foreach { seed =>
      val history = new RandomHistory(seed.toLong)
      val sketch = history.build()
      assertEquals(sketch.count, history.bags.last._2.values.sum)
      assertEquals(sketch.clamped, history.ignoredDeletes)
      assertEquals(history.violations(sketch, 20), Nil)
    }
  }

  test("some random histories have several trees of more than one level, with split cells") {
    val all = (1L to 300L).map(new RandomHistory(_).build())
    val counted = all.flatMap(RandomHistory.countedSpans)
    assert(counted.size > 300 && counted.exists(_.parts.starts.nonEmpty), counted.size.toString)
    assert(counted.exists(_.blocks.height > 1) && all.exists(_.trees > 5))
  }

  test("drifting histories with cells of many parts: direct quantiles equal the profile's at all versions") {
    val parts = DriftingHistory.all.map { history =>
      RandomHistory
        .countedSpans(history.sketch)
        .flatMap(s => s.starts.indices.map(g => s.parts.until(g) - s.parts.from(g)))
        .max
    }
    assert(parts.count(_ > 50) > 1, parts.toString)
    DriftingHistory.all.foreach { history =>
      val sketch = history.sketch
      (sketch.firstVersion to sketch.lastVersion by 7).foreach { version =>
        val all = sketch.at(version).profile
        phis.foreach { phi =>
          assertEquals(
            sketch.at(version).quantile(phi),
            all.quantile(phi),
            s"${history.name}, $version, $phi"
          )
        }
      }
    }
  }

  test("a span answers a quantile at the first call as at later ones") {
    val spans = (1L to 20L).flatMap(seed => RandomHistory.countedSpans(new RandomHistory(seed).build()))
    val answers = spans.flatMap { span =>
      val count = span.counters.at(0, span.first)
      if (span.maxCount(count, span.first) == 0) Nil
      else
        phis.map { phi =>
          val first = span.quantile(span.first, count, phi, Domain.BigInt)
          assertEquals(span.quantile(span.first, count, phi, Domain.BigInt), first, s"$phi")
          first
        }
    }
    assert(answers.exists(_.nonEmpty), answers.size.toString)
  }

  test("a decoded history equals the encoded one") {
    (1 to Cases.of(50)).foreach { seed =>
      val history = new RandomHistory(seed.toLong)
      val sketch = history.build()
      val back = RandomHistory.throughBytes(sketch)
      assertEquals(SummaryLaws.hex(back), SummaryLaws.hex(sketch))
      assertEquals(history.violations(back, 5), Nil)
    }
  }

  test("the order of changes in a version and changes that cancel have no effect") {
    (1L to 50L).foreach { seed =>
      val history = new RandomHistory(seed)
      val random = new scala.util.Random(seed)
      val shuffled = history.updates
        .groupBy(_._1)
        .toVector
        .sortBy(_._1)
        .flatMap { case (version, changes) =>
          random.shuffle(changes.flatMap { case (_, key, change) =>
            val more = random.nextInt(3)
            Seq((version, key, change), (version, key, more.toLong), (version, key, -more.toLong))
          })
        }
      val builder = HistoryRecipe(Domain.BigInt, history.epsilon, Domain.BigInt).builder
      shuffled.foreach { case (version, key, change) => builder.update(version, key, change) }
      assertEquals(SummaryLaws.hex(builder.result()), SummaryLaws.hex(history.build()))
    }
  }

  test("deletes of elements that are not alive are ignored and counted") {
    val sketch = of((1, 7, 2), (2, 7, -5), (2, 9, -1), (3, 7, 1))
    assertEquals(sketch.clamped, 4L)
    assertEquals(sketch.description.clamped, Some(4L))
    assertEquals(sketch.at(2).countBounds, (0L, 0L))
    assertEquals(sketch.at(2).quantiles.map(_(median)), None)
    assertEquals(sketch.at(3).quantiles.map(_(median)), Some(7L))
  }

  test("a version without changes answers as the version before") {
    val sketch = of((1, 7, 1), (5, 8, 0), (9, 8, 1), (9, 8, -1), (12, 8, 2))
    (1L to 11L).foreach(v => assertEquals(sketch.at(v).quantile(Phi(1.0)), 7L))
    assertEquals(sketch.at(12).quantile(Phi(1.0)), 8L)
    assertEquals((sketch.firstVersion, sketch.lastVersion), (1L, 12L))
    val quiet = of((1, 7, 1), (5, 8, 0))
    assertEquals(quiet.lastVersion, 5L)
  }

  test("versions before the first and after the last are refused, and the message names both") {
    val sketch = of((3, 7, 1), (5, 8, 1))
    Seq(2L, 6L, Long.MinValue, Long.MaxValue).foreach { v =>
      val refusal = intercept[Refusal](sketch.at(v))
      assertEquals(refusal.condition, "CHRONOSKETCH_VERSION_OUT_OF_RANGE")
      assertEquals(refusal.parameters, Map("asked" -> v.toString, "first" -> "3", "last" -> "5"))
    }
  }

  test("an empty history has no version") {
    val nothing = recipe.builder.result()
    assert(nothing.isEmpty)
    Seq[() => Any](() => nothing.at(1), () => nothing.firstVersion)
      .foreach(ask => assertEquals(intercept[Refusal](ask()).condition, "CHRONOSKETCH_HISTORY_EMPTY"))
  }

  test("updates of a lower version or of one that has ended are illegal") {
    val builder = recipe.builder
    builder.update(5, 1, 1)
    intercept[IllegalArgumentException](builder.update(4, 1, 1))
    builder.result()
    intercept[IllegalArgumentException](builder.update(5, 1, 1))
    builder.update(6, 1, 1)
    assertEquals(builder.result().count, 2L)
  }

  test("calling result between updates changes nothing") {
    (1L to 40L).foreach { seed =>
      val history = new RandomHistory(seed)
      val builder = HistoryRecipe(Domain.BigInt, history.epsilon, Domain.BigInt).builder
      var version = history.updates.head._1
      history.updates.foreach { case (v, key, change) =>
        if (v != version) builder.result()
        version = v
        builder.update(v, key, change)
      }
      assertEquals(SummaryLaws.hex(builder.result()), SummaryLaws.hex(history.build()))
    }
  }

  test("counts of more than 63 bits are refused") {
    val builder = recipe.builder
    builder.update(1, 1, Long.MaxValue)
    builder.update(2, 2, 1)
    assertEquals(intercept[Refusal](builder.result()).condition, "CHRONOSKETCH_COUNT_OVERFLOW")
    val twice = recipe.builder
    twice.update(1, 1, Long.MinValue)
    twice.update(1, 1, Long.MinValue)
    assertEquals(intercept[Refusal](twice.result()).condition, "CHRONOSKETCH_COUNT_OVERFLOW")
    assertEquals(of((1, 1, Long.MaxValue), (2, 1, Long.MinValue)).clamped, 1L)
    assertEquals(of((1, 1, Long.MinValue)).clamped, Long.MaxValue)
  }

  test("the memory of builder and sketch is metered") {
    val meter = new Meter
    val builder = recipe.builder
    builder.meteredBy(meter)
    (0 until 20000).foreach(i => builder.update(i.toLong, (i * 7919L) % 100003, 1))
    val sketch = builder.result()
    assert(meter.bytes > 20000 * 8 && meter.bytes < 20000 * 64 + (1 << 20), meter.bytes.toString)
    builder.meteredBy(null)
    assertEquals(meter.bytes, 0L)
    sketch.meteredBy(meter)
    assert(meter.bytes > 1000, meter.bytes.toString)
  }
}
