package chronosketch.bench.windows

import chronosketch.bench.{CpuStep, Inputs}
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.Families
import chronosketch.summary.Envelope
import chronosketch.window.{WindowSketch, WindowSketches, Windowed}

/** Measures the time per row in window sketches, for each step of an aggregation in Spark. Prints a line of JSON for each step.
  *
  * `one` inserts rows of increasing times into one sketch. `many` inserts rows into a thousand sketches per part in turn; then each sketch
  * is encoded, decoded, merged with the other parts of its group, and encoded again. Times are nanoseconds of the thread's CPU per inserted
  * row, medians of rounds. Arguments: rounds, rows per group and part, parts.
  */
object WindowInserts {
  private val Groups = 1000
  private val Epsilon = 0.01
  private val OneRows = 2000000

  private def sketch(): WindowSketch =
    new WindowSketch(Domain.Double, Domain.Timestamp, Epsilon, Windowed.KeepAll, Vector.empty)

  private def lognormal(rows: Int, seed: Long): Array[Long] = Inputs.lognormal(rows, seed).map(DoubleKeys.key)

  def main(arguments: Array[String]): Unit = {
    val numbers = arguments.map(_.toInt).lift
    val (rounds, rows, parts) = (numbers(0).getOrElse(5), numbers(1).getOrElse(2500), numbers(2).getOrElse(8))
    val one = new CpuStep("one: insert")
    val oneJoined = new CpuStep("one: insert and join")
    val insert = new CpuStep("many: insert")
    val seal = new CpuStep("many: store a part")
    val unite = new CpuStep("many: open and unite the parts")
    val result = new CpuStep("many: store the union")
    val keys = lognormal(OneRows, 1L)
    // the rows of one part: equally many of every group, in random order of groups
    val rowsOfPart = Groups * rows
    val partKeys = lognormal(rowsOfPart, 2L)
    val random = new java.util.Random(3)
    val groups = Array.fill(rowsOfPart)(random.nextInt(Groups))
    (1 to rounds).foreach { _ =>
      oneJoined(OneRows.toLong) {
        val s = sketch()
        one(OneRows.toLong) {
          var i = 0
          while (i < OneRows) { s.insert(keys(i), i * 4320L, 0); i += 1 }
        }
        s.buckets
      }
      val stored = Array.tabulate(parts) { p =>
        val sketches = Array.fill(Groups)(sketch())
        insert(rowsOfPart.toLong) {
          var i = 0
          while (i < rowsOfPart) {
            sketches(groups(i)).insert(partKeys(i), (p * rowsOfPart.toLong + i) * 4320L, 0)
            i += 1
          }
        }
        seal(rowsOfPart.toLong)(sketches.map(Envelope.seal(_)))
      }
      seal.bytes = stored.map(_.map(_.length.toLong).sum).sum / parts
      val united = unite(parts * rowsOfPart.toLong) {
        Array.tabulate(Groups) { g =>
          val all = WindowSketches.own(Families.open(stored(0)(g)))
          (1 until parts).foreach(p => all.merge(WindowSketches.own(Families.open(stored(p)(g)))))
          all
        }
      }
      result.bytes = result(parts * rowsOfPart.toLong)(united.map(Envelope.seal(_).length.toLong).sum)
    }
    Seq(one, oneJoined, insert, seal, unite, result).foreach(_.printMedian())
  }
}
