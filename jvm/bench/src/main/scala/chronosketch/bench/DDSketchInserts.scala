package chronosketch.bench

import java.lang.management.ManagementFactory

import com.datadoghq.sketch.ddsketch.{DDSketches => Library}

import chronosketch.ddsketch.{DDSketchRecipe, DDSketches}
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.Families
import chronosketch.grouped.GroupedUnions
import chronosketch.memory.Meter
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.summary.{Envelope, Inserts}

/** What a row costs in a ddsketch, in the library's own, and in a quantile sketch; and what a stored one costs to merge. */
object DDSketchInserts {
  private val threads = ManagementFactory.getThreadMXBean

  /** The best of many. */
  private def nanos(times: Int, items: Long)(body: => Any): Double = (1 to times).map { _ =>
    val start = threads.getCurrentThreadCpuTime
    if (body == null) println()
    (threads.getCurrentThreadCpuTime - start).toDouble / items
  }.min

  def main(arguments: Array[String]): Unit = {
    val random = new java.util.Random(1)
    val values = Array.fill(1000000)(math.exp(random.nextGaussian() * 2))
    val keys = values.map(DoubleKeys.key)
    val n = keys.length.toLong
    def filled(summary: Inserts): Inserts = {
      summary.insertAll(keys, 0, keys.length)
      summary.count
      summary
    }
    println("| | ns |\n|---|---|")
    def row(what: String, ns: Double): Unit = println(f"| $what | $ns%.1f |")
    Seq(0.001, 0.01).foreach { alpha =>
      row(
        s"a row, ddsketch of alpha $alpha",
        nanos(30, n)(filled(DDSketchRecipe(Domain.Double, alpha).empty))
      )
      row(
        s"a row, sketches-java's of alpha $alpha",
        nanos(30, n) {
          val sketch = Library.unboundedDense(alpha)
          var i = 0
          while (i < values.length) { sketch.accept(values(i)); i += 1 }
          sketch
        }
      )
    }
    row(
      "a row, quantile sketch of epsilon 0.001",
      nanos(30, n)(filled(new GreenwaldKhanna(Domain.Double, 0.001)))
    )
    val parts = Array.tabulate(100) { i =>
      val part = DDSketchRecipe(Domain.Double, 0.01).empty
      part.insertAll(keys, i * 10000, (i + 1) * 10000)
      Envelope.seal(part)
    }
    val bins = DDSketches.own(Families.open(parts(0))).size
    row(
      s"a stored ddsketch of $bins bins, ${parts(0).length} bytes, merged",
      nanos(200, parts.length.toLong) {
        val union = new GroupedUnions(new Meter)
        parts.foreach(union.merge(0, _))
        union.ask(0)
      }
    )
  }
}
