package chronosketch.bench

import chronosketch.families.Families
import chronosketch.quantile.QuantileSketch
import chronosketch.summary.Envelope

/** Measures the size of unions of unions, level by level, compared with KLL at equal rank error. Prints a table.
  *
  * The parts of a level are drawn from sixty different sketches, so that a million sketches of the first level are not needed.
  */
object MergedLevels {
  private val Epsilon = 1e-3
  private val Different = 60

  private final case class Both(ours: Array[Byte], kll: Array[Byte])

  def main(arguments: Array[String]): Unit = {
    println(
      "| rows a part | level | bytes | KLL's | share | tuples × ε | certified error / ε |\n|---|---|---|---|---|---|---|"
    )
    Seq(2000, 10000, 200000).foreach(rows => levels(rows, Seq(30, 12, 10, 10, 10, 10)))
    levels(10000, Seq.fill(10)(2))
  }

  private def levels(rows: Int, fans: Seq[Int]): Unit = {
    var level = Seq.tabulate(Different) { i =>
      val values = Inputs.lognormal(rows, i.toLong)
      Both(
        Envelope.seal(Sketches.ours(values, 0, rows, Epsilon)),
        Sketches.kll(values, 0, rows, 2862).toByteArray
      )
    }
    fans.zipWithIndex.foreach { case (fan, l) =>
      level = Seq.tabulate(Different) { i =>
        val parts = Array.tabulate(fan)(j => level((i * 7 + j * 11) % Different))
        // one KLL sketch per level is enough: the others have the same size
        val kll = if (i == 0) Merging.kll(parts.map(_.kll), "chain").toByteArray else parts.head.kll
        Both(Envelope.seal(Merging.ours(parts.map(_.ours), "chain")), kll)
      }
      show(rows, s"${l + 1}, of $fan", level.head)
    }
  }

  private def show(rows: Int, level: String, both: Both): Unit = {
    val (ours, kll) = (both.ours.length, both.kll.length)
    val sketch = QuantileSketch.own(Families.open(both.ours))
    val tuples = sketch.tuples * Epsilon
    val error = sketch.profile.rankError / Epsilon
    println(f"| $rows | $level | $ours | $kll | ${ours.toDouble / kll}%.2f | $tuples%.2f | $error%.2f |")
  }
}
