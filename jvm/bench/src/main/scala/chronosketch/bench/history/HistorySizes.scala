package chronosketch.bench.history

import java.util.SplittableRandom

import chronosketch.domain.Domain
import chronosketch.history.HistoryRecipe
import chronosketch.memory.Meter
import chronosketch.summary.Envelope

/** Measures the bytes of a history merged from parts by value, and of one with ten million values alive at once. */
private[history] object HistorySizes {
  def all(): Unit = {
    for (epsilon <- Seq(0.05, 0.00625); parts <- Seq(1, 4, 16)) println(merged(epsilon, parts))
    println(large(10000000))
  }

  private def merged(epsilon: Double, parts: Int): String = {
    val data = new PaperChanges(1, 1)
    val recipe = HistoryRecipe(Domain.BigInt, epsilon, Domain.BigInt)
    val builders = Array.fill(parts)(recipe.builder)
    data.changes.indices.foreach { i =>
      val part = Math.floorMod(data.key(i) * 0x9e3779b97f4a7c15L >>> 32, parts)
      builders(part).update(data.version(i), data.key(i), if (data.changes(i) < 0) -1 else 1)
    }
    val all = recipe.empty
    builders.foreach { b =>
      b.update(data.version(data.changes.length), 0, 0)
      all.merge(b.result())
    }
    val checked = new CheckedAnswers(new Contestant.Ours(all, data), epsilon)
    data.foreachChecked(100)((i, alive) => { checked.ask(i, alive); () })
    f"""{"part": "merged", "epsilon": $epsilon, "parts": $parts, "bytes": ${checked.contestant.bytes}, "worst": ${checked.worst}%.6f, "certified": ${checked.certified}%.6f, "violations": ${checked.violations}}"""
  }

  private def large(n: Int): String = {
    val meter = new Meter
    val builder = HistoryRecipe(Domain.BigInt, 0.01, Domain.BigInt).builder
    builder.meteredBy(meter)
    val random = new SplittableRandom(1)
    val start = System.nanoTime
    // ten values are inserted at each of a million versions
    (0 until n).foreach(i => builder.update(i / 10L, random.nextLong(), 1))
    val loaded = System.nanoTime
    val bytes = meter.bytes
    val again = new SplittableRandom(1)
    (0 until n / 5).foreach { i =>
      builder.update(
        n + i.toLong,
        if (i % 2 == 0) again.nextLong() else random.nextLong(),
        if (i % 2 == 0) -1 else 1
      )
    }
    val size = Envelope.seal(builder.result()).length
    val (inserts, updates) = (n * 1e9 / (loaded - start), n / 5 * 1e9 / (System.nanoTime - loaded))
    f"""{"part": "large", "alive": $n, "bytes": $size, "memory_a_value": ${bytes.toDouble / n}%.1f, "inserts_per_s": ${inserts.toLong}, "updates_per_s": ${updates.toLong}}"""
  }
}
