package chronosketch.bench.windows

import chronosketch.bench.{CpuStep, Inputs}
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.grouped.GroupedTimed
import chronosketch.memory.Meter
import chronosketch.window.{WindowSketches, Windowed}

/** Measures the time per row of `window_sketch_agg` by group, from the tasks that read rows to those that merge parts. Prints a line of
  * JSON for each step.
  *
  * Each step is measured in two variants, in turns: `sketches` passes the sketch of each part on; `rows` passes the rows themselves if a
  * sketch would hardly be smaller, as a query does. Times are nanoseconds of the thread's CPU per row, medians of rounds. Arguments:
  * rounds, rows per group and part, parts.
  */
object WindowParts {
  private val Groups = 1000
  private val Batch = 1 << 16
  private val recipe =
    WindowSketches.recipe(Domain.Double, Domain.Timestamp, Seq(0.01), Windowed.KeepAll, Vector.empty)

  private def grouped() = new GroupedTimed(recipe, new Meter)

  /** One way to pass parts on. */
  private final class Way(name: String, handsRows: Boolean) {
    private val insert = new CpuStep(s"$name: insert")
    private val hand = new CpuStep(s"$name: hand a part on")
    private val take = new CpuStep(s"$name: take the parts")
    private val store = new CpuStep(s"$name: store")
    val steps: Seq[CpuStep] = Seq(insert, hand, take, store)

    def apply(parts: Int, keys: Array[Long], groups: Array[Int]): Unit = {
      val n = keys.length
      val stored = Array.tabulate(parts) { p =>
        val part = grouped()
        insert(n.toLong) {
          var from = 0
          while (from < n) {
            val size = math.min(Batch, n - from)
            val times = Array.tabulate(size)(i => (p * n.toLong + from + i) * 4320L)
            part.insertAll(
              groups.slice(from, from + size),
              keys.slice(from, from + size),
              times,
              size,
              Groups
            )
            from += size
          }
        }
        hand(n.toLong)(Array.tabulate(Groups) { g =>
          val bytes = if (handsRows) part.sealPart(g) else part.seal(g)
          part.forget(g)
          bytes
        })
      }
      hand.bytes = stored.map(_.map(_.length.toLong).sum).sum / parts
      val whole = grouped()
      take(parts * n.toLong) {
        stored.foreach(part => part.indices.foreach(g => whole.mergePart(g, part(g))))
      }
      store.bytes = store(parts * n.toLong) {
        var bytes = 0L
        var g = 0
        while (g < Groups) { bytes += whole.seal(g).length; whole.forget(g); g += 1 }
        bytes
      }
    }
  }

  def main(arguments: Array[String]): Unit = {
    val numbers = arguments.map(_.toInt).lift
    val (rounds, rows, parts) = (numbers(0).getOrElse(5), numbers(1).getOrElse(5000), numbers(2).getOrElse(4))
    val keys = Inputs.lognormal(Groups * rows, 2L).map(DoubleKeys.key)
    val random = new java.util.Random(3)
    val groups = Array.fill(Groups * rows)(random.nextInt(Groups))
    val ways = Seq(new Way("sketches", handsRows = false), new Way("rows", handsRows = true))
    (1 to rounds).foreach(_ => ways.foreach(_(parts, keys, groups)))
    ways.foreach(_.steps.foreach(_.printMedian()))
  }
}
