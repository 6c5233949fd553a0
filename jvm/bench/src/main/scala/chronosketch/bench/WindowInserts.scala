package chronosketch.bench

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.Families
import chronosketch.summary.Envelope
import chronosketch.window.{WindowSketch, WindowSketches, Windowed}

/** What does a row cost in window sketches, step by step as an aggregation in Spark takes it? A line of JSON for each step.
  *
  * `one`: rows of rising times into one sketch. `many`: into a thousand in turn, those of a part, and then each is stored, opened,
  * united with the other parts of its group, and stored again. Nanoseconds of the thread's CPU a row that came, the median of rounds.
  * Arguments: rounds, rows of a group and part, parts.
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
    // rows of one part: of every group as many, in no order of groups
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
    Seq(one, oneJoined, insert, seal, unite, result).foreach(_.say())
  }
}
