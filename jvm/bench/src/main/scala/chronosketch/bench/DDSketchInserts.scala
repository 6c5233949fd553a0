package chronosketch.bench

import com.datadoghq.sketch.ddsketch.{DDSketches => Library}

import chronosketch.ddsketch.{DDSketchRecipe, DDSketches}
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.families.Families
import chronosketch.grouped.GroupedUnions
import chronosketch.memory.Meter
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.summary.Envelope

/** Measures the cost of a row in a ddsketch, in the library's DDSketch and in a quantile sketch, and of merging a stored one. */
object DDSketchInserts {

  /** The best of `times` runs of each body, which run in turns. In nanoseconds per item. */
  private def nanos(times: Int, items: Long)(bodies: (() => Any)*): Seq[Double] = {
    val best = Array.fill(bodies.size)(Double.MaxValue)
    (1 to times).foreach { _ =>
      bodies.indices.foreach { i =>
        val start = CpuTime.nanoseconds
        if (bodies(i)() == null) println()
        best(i) = math.min(best(i), (CpuTime.nanoseconds - start).toDouble / items)
      }
    }
    best.toSeq
  }

  private def inputs(rows: Int): Seq[(String, Array[Double])] = {
    val random = new java.util.Random(1)
    def values(of: => Double) = Array.fill(rows)(of)
    val lognormal = values(math.exp(random.nextGaussian() * 2))
    Seq(
      "lognormal" -> lognormal,
      "lognormal, sorted" -> lognormal.sorted,
      "lognormal, 5 % zeros" -> values(if (random.nextInt(20) == 0) 0.0
      else math.exp(random.nextGaussian() * 2)),
      "normal" -> values(random.nextGaussian()),
      "1 to 100" -> values(1.0 + random.nextInt(100)),
      "7" -> values(7.0),
      "every double" -> values(java.lang.Double.longBitsToDouble(random.nextLong() & ~(1L << 62)))
    )
  }

  private def insertions(name: String, values: Array[Double], alpha: Double): Unit = {
    val keys = values.map(DoubleKeys.key)
    val wholes = values.map(_.toLong)
    def many(domain: Domain, keys: Array[Long]) = () => {
      val sketch = DDSketchRecipe(domain, alpha).empty
      sketch.insertAll(keys, 0, keys.length)
      sketch
    }
    val singly = () => {
      val sketch = DDSketchRecipe(Domain.Double, alpha).empty
      var i = 0
      while (i < keys.length) { sketch.insert(keys(i)); i += 1 }
      sketch
    }
    val library = () => {
      val sketch = Library.unboundedDense(alpha)
      var i = 0
      while (i < values.length) { sketch.accept(values(i)); i += 1 }
      sketch
    }
    val found =
      nanos(60, keys.length.toLong)(many(Domain.Double, keys), library, singly, many(Domain.BigInt, wholes))
    val shown = found.map(ns => f"$ns%.1f") :+ f"${found(1) / found.head}%.1f"
    println(shown.mkString(s"| $name | $alpha | ", " | ", " |"))
  }

  def main(arguments: Array[String]): Unit = {
    // with a million rows or more, rows are read from memory and not from a cache
    val columns = inputs(arguments.headOption.fold(1000000)(_.toInt))
    println("| values | alpha | ns a row | sketches-java | one at a time | whole numbers | times as fast |")
    println("|---|---|---|---|---|---|---|")
    // measure the first column twice: the first time warms up the JIT compiler
    for ((name, values) <- columns.head +: columns; alpha <- Seq(0.01, 0.001)) insertions(name, values, alpha)
    val random = new java.util.Random(1)
    val keys = Array.fill(1000000)(DoubleKeys.key(math.exp(random.nextGaussian() * 2)))
    val n = keys.length.toLong
    println("\n| | ns |\n|---|---|")
    def row(what: String, ns: Double): Unit = println(f"| $what | $ns%.1f |")
    row(
      "a row, quantile sketch of epsilon 0.001",
      nanos(30, n)(() => {
        val summary = new GreenwaldKhanna(Domain.Double, 0.001)
        summary.insertAll(keys, 0, keys.length)
        summary.count
      }).head
    )
    val parts = Array.tabulate(100) { i =>
      val part = DDSketchRecipe(Domain.Double, 0.01).empty
      part.insertAll(keys, i * 10000, (i + 1) * 10000)
      Envelope.seal(part)
    }
    val bins = DDSketches.own(Families.open(parts(0))).size
    row(
      s"a stored ddsketch of $bins bins, ${parts(0).length} bytes, merged",
      nanos(200, parts.length.toLong)(() => {
        val union = new GroupedUnions(new Meter)
        parts.foreach(union.merge(0, _))
        union.ask(0)
      }).head
    )
  }
}
