package chronosketch.history

import chronosketch.{Refusal, Suite}
import chronosketch.domain.Domain
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.SummaryLaws

/** Tests merging: histories of different elements are added, and a history that continues another is appended. */
class HistoryMergeSuite extends Suite {
  private def builder(epsilon: Double = 0.1): HistoryBuilder =
    HistoryRecipe(Domain.BigInt, epsilon, Domain.BigInt).builder

  private def of(updates: (Long, Long, Long)*): HistorySketch = {
    val b = builder()
    updates.foreach { case (version, key, change) => b.update(version, key, change) }
    b.result()
  }

  private def merged(parts: HistorySketch*): HistorySketch = {
    val all = builder().result()
    parts.foreach(part => all.merge(RandomHistory.throughBytes(part)))
    all
  }

  private def hash(key: Long, parts: Int): Int = Math.floorMod(Fingerprint.hashA(key), parts.toLong).toInt

  test("merging parts by hash, in any order, agrees with the history of all elements") {
    (1L to 60L).foreach { seed =>
      val history = new RandomHistory(seed)
      val (first, last) = (history.updates.head._1, history.updates.last._1)
      val parts = (0 until 4).map { p =>
        val b = builder(history.epsilon)
        b.update(first, 0, 0)
        history.updates
          .filter(u => hash(u._2, 4) == p)
          .foreach { case (version, key, change) => b.update(version, key, change) }
        b.update(last, 0, 0)
        b.result()
      }
      val sketch = merged(parts: _*)
      assertEquals((sketch.firstVersion, sketch.lastVersion), (first, last))
      assertEquals(sketch.count, history.bags.last._2.values.sum)
      assertEquals(sketch.clamped, history.ignoredDeletes)
      assertEquals(history.violations(sketch, 8), Nil)
      assertEquals(SummaryLaws.hex(merged(parts.reverse: _*)), SummaryLaws.hex(sketch))
    }
  }

  test("a part that begins later is empty before; the part that ends first ends the union") {
    val sketch = merged(of((1, 10, 1), (8, 11, 1)), of((5, 20, 1), (6, 21, 1)))
    assertEquals((sketch.firstVersion, sketch.lastVersion), (1L, 6L))
    assertEquals(sketch.at(4).count, 1L)
    assertEquals(sketch.at(6).count, 3L)
    assertEquals(sketch.at(6).quantile(Phi(1.0)), 21L)
    assertEquals(intercept[Refusal](sketch.at(7)).parameters("last"), "6")
  }

  private val days = Seq(
    of((1, 10, 1), (3, 11, 2)),
    of((4, 10, 1), (4, 11, 2), (6, 10, -1)),
    of((9, 11, 2), (12, 30, 5))
  )

  test("histories that follow one another are joined, in whatever order they are merged") {
    val expected = SummaryLaws.hex(merged(days: _*))
    days.permutations.foreach { order =>
      val sketch = merged(order: _*)
      assertEquals(SummaryLaws.hex(sketch), expected)
      assertEquals((sketch.firstVersion, sketch.lastVersion), (1L, 12L))
      assertEquals(Seq(1L, 3L, 5L, 6L, 8L, 9L, 12L).map(sketch.at(_).count), Seq(1L, 3L, 3L, 2L, 2L, 2L, 7L))
    }
  }

  test("if a history between two is missing, every question is refused and names both") {
    val sketch = merged(days(2), days(0))
    Seq[() => Any](() => sketch.at(2), () => sketch.lastVersion)
      .foreach { ask =>
        val refusal = intercept[Refusal](ask())
        assertEquals(refusal.condition, "CHRONOSKETCH_HISTORIES_APART")
        assertEquals(
          refusal.parameters,
          Map(
            "first" -> "1",
            "last" -> "3",
            "count" -> "3",
            "laterFirst" -> "9",
            "laterLast" -> "12",
            "laterCount" -> "2"
          )
        )
      }
    sketch.merge(days(1))
    assertEquals(sketch.at(12).count, 7L)
  }

  test("overlapping histories with equal states are added, not appended") {
    val sketch = merged(of((5, 10, 1)), of((5, 10, 1)))
    assertEquals(sketch.at(5).count, 2L)
  }

  test("merging an empty history changes nothing, and types of versions widen") {
    val some = of((1, 10, 1))
    val before = SummaryLaws.hex(some)
    some.merge(builder().result())
    assertEquals(SummaryLaws.hex(some), before)
    val ints = HistoryRecipe(Domain.BigInt, 0.1, Domain.Int).empty
    ints.merge(some)
    assertEquals(ints.versions, Domain.BigInt)
    val refusal = intercept[Refusal](some.merge(HistoryRecipe(Domain.BigInt, 0.1, Domain.Date).empty))
    assertEquals(refusal.condition, "CHRONOSKETCH_TIME_TYPES_DIFFER")
  }

  test("merging two versions of a history gives the elements of both") {
    (1L to 40L).foreach { seed =>
      val history = new RandomHistory(seed)
      val sketch = history.build()
      val both = sketch.at(sketch.firstVersion)
      both.merge(sketch.at(sketch.lastVersion))
      val (a, b) = (history.bags.head._2, history.bags.last._2)
      val union = (a.keySet ++ b.keySet).map(k => k -> (a.getOrElse(k, 0L) + b.getOrElse(k, 0L))).toMap
      val exact = chronosketch.summary.ExactBag.of(union)
      assertEquals(chronosketch.window.WindowCertificate.violations(both.profile, exact), Nil)
      if (!exact.isEmpty) assert(both.profile.rankError <= history.epsilon)
    }
    assertEquals(VersionSketch.normal(RankProfile.empty).size, 0)
  }
}
