package chronosketch.bench.history

import java.util.SplittableRandom

import chronosketch.domain.Domain
import chronosketch.history.{HistoryRecipe, HistorySketch}
import chronosketch.memory.Meter
import chronosketch.rank.Phi
import chronosketch.summary.Envelope

/** The paper's experiments on any past version, remade: a line of JSON for each ε and ratio. `simple` is the paper's alternative; its
  * bytes are of the same coding. Then parts by value merged, and ten million values alive. Arguments: `simple` to have it too.
  */
object HistoryFigures {
  def main(arguments: Array[String]): Unit = {
    for {
      data <- Seq(1, 2, 4).map(new PaperChanges(_, 1)) :+ new PaperChanges(1, 1, drifting = true)
      epsilon <- Seq(0.1, 0.05, 0.025, 0.0125, 0.00625)
    } println(line(data, epsilon, arguments.contains("simple")))
    for (epsilon <- Seq(0.05, 0.00625); parts <- Seq(1, 4, 16)) println(merged(epsilon, parts))
    println(large(10000000))
  }

  private def merged(epsilon: Double, parts: Int): String = {
    val data = new PaperChanges(1, 1)
    val recipe = HistoryRecipe(Domain.BigInt, epsilon, Domain.BigInt)
    val builders = Array.fill(parts)(recipe.builder)
    data.changes.indices.foreach { i =>
      val change = data.changes(i)
      val key = if (change < 0) ~change else change
      builders(Math.floorMod(key * 0x9e3779b97f4a7c15L >>> 32, parts))
        .update(data.version(i), key, if (change < 0) -1 else 1)
    }
    val all = recipe.empty
    builders.foreach { b =>
      b.update(data.version(data.changes.length), 0, 0)
      all.merge(b.result())
    }
    s"""{"data": "merged", "epsilon": $epsilon, "parts": $parts, "bytes": ${Envelope.seal(all).length}}"""
  }

  private def large(n: Int): String = {
    val meter = new Meter
    val builder = HistoryRecipe(Domain.BigInt, 0.01, Domain.BigInt).builder
    builder.meteredBy(meter)
    val random = new SplittableRandom(1)
    val start = System.nanoTime
    // values come at a million versions, ten each
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
    f"""{"data": "large", "alive": $n, "bytes": $size, "memory_a_value": ${bytes.toDouble / n}%.1f, "inserts_per_s": ${inserts.toLong}, "updates_per_s": ${updates.toLong}}"""
  }

  private def build(data: PaperChanges, epsilon: Double): HistorySketch = {
    val builder = HistoryRecipe(Domain.BigInt, epsilon, Domain.BigInt).builder
    var i = 0
    while (i < data.changes.length) {
      val change = data.changes(i)
      if (change < 0) builder.update(data.version(i), ~change, -1)
      else builder.update(data.version(i), change, 1)
      i += 1
    }
    builder.result()
  }

  private def line(data: PaperChanges, epsilon: Double, withSimple: Boolean): String = {
    val start = System.nanoTime
    val sketch = build(data, epsilon)
    val rate = data.changes.length * 1e9 / (System.nanoTime - start)
    val simple = Option.when(withSimple)(new Simple(data, epsilon))
    val random = new SplittableRandom(7)
    var worst, sum, certified, simpleWorst, simpleSum = 0.0
    data.foreachAsked { (i, n, rank) =>
      val phi = random.nextDouble()
      def error(key: Long): Double = math.abs(rank(key) - phi * n) / n
      val ours = error(sketch.quantileAt(data.version(i), Phi(phi)).get)
      worst = math.max(worst, ours)
      sum += ours
      certified = math.max(certified, sketch.at(data.version(i)).profile.rankError)
      simple.foreach { s =>
        val its = error(s.quantile(i, phi))
        simpleWorst = math.max(simpleWorst, its)
        simpleSum += its
      }
    }
    val its = simple.fold("") { s =>
      f""", "simple_bytes": ${s.bytes}, "simple_error": ${simpleSum / 100}%.5f, "simple_worst": $simpleWorst%.5f"""
    }
    val what = if (data.drifting) "drifting" else s"ratio ${data.ratio}"
    f"""{"data": "$what", "epsilon": $epsilon, "bytes": ${Envelope.seal(
        sketch
      ).length}, "trees": ${sketch.trees}, "updates_per_s": ${rate.toLong}, "quantile_ns": ${nanos(
        sketch
      )}%.0f, "error": ${sum / 100}%.5f, "worst": $worst%.5f, "certified": $certified%.5f$its}"""
  }

  private def nanos(sketch: HistorySketch): Double = {
    // as they are asked: of three digits
    val phis = Array.tabulate(64)(i => Phi((i * 15 + 20) / 1000.0))
    var best = Double.MaxValue
    var sum = 0L
    (0 until 5).foreach { _ =>
      val random = new SplittableRandom(3)
      val start = System.nanoTime
      (0 until 100000).foreach { i =>
        val version = random.nextLong(sketch.firstVersion, sketch.lastVersion + 1)
        sum += sketch.quantileAt(version, phis(i & 63)).get
      }
      best = math.min(best, (System.nanoTime - start) / 1e5)
    }
    if (sum == 42) println("")
    best
  }
}
