package chronosketch.history

import java.util.SplittableRandom

import chronosketch.domain.Domain

/** A history whose inserts all come near one moving value while the oldest values are deleted. A cell there is split again and again. */
final class DriftingHistory(val name: String, key: (Int, SplittableRandom) => Long) {
  private val initial = 2000
  private val later = 6000

  val sketch: HistorySketch = {
    val random = new SplittableRandom(1)
    val builder = HistoryRecipe(Domain.BigInt, 0.05, Domain.BigInt).builder
    val keys = Array.tabulate(initial + later)(key(_, random))
    (0 until initial).foreach(i => builder.update(1, keys(i), 1))
    (0 until later).foreach { i =>
      builder.update(2 + 3L * i, keys(initial + i), 1)
      // delete in batches, so that the count changes too
      if (i % 40 == 39) (i - 39 to i).foreach(o => builder.update(2 + 3L * i, keys(o), -1))
    }
    builder.result()
  }
}

object DriftingHistory {
  lazy val all: Seq[DriftingHistory] = Seq(
    new DriftingHistory("rising", (i, random) => 1000L * i + random.nextInt(1000)),
    new DriftingHistory("falling", (i, random) => -1000L * i + random.nextInt(1000)),
    new DriftingHistory(
      "inward",
      (i, random) => (if (i % 2 == 0) 1 else -1) * (10000000L - 1000L * i) + random.nextInt(1000)
    ),
    new DriftingHistory("in steps", (i, _) => (i / 30).toLong),
    new DriftingHistory("shuffled", (i, random) => 1000L * i + random.nextInt(500000))
  )
}
