package chronosketch.history

import java.util.SplittableRandom

import chronosketch.domain.Domain

/** Values that move on: new ones all come at one place, and the oldest goes. A cell there is split again and again. */
final class DriftingHistory(val name: String, key: (Int, SplittableRandom) => Long) {
  private val alive = 2000
  private val later = 6000

  val sketch: HistorySketch = {
    val random = new SplittableRandom(1)
    val builder = HistoryRecipe(Domain.BigInt, 0.05, Domain.BigInt).builder
    val keys = Array.tabulate(alive + later)(key(_, random))
    (0 until alive).foreach(i => builder.update(1, keys(i), 1))
    (0 until later).foreach { i =>
      builder.update(2 + 3L * i, keys(alive + i), 1)
      // not one by one, so that the count moves too
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
