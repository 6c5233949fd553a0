package chronosketch.bench.tails

import java.util.SplittableRandom

import chronosketch.bench.{CpuTime, Inputs}
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.grouped.GroupedInserts
import chronosketch.memory.Meter
import chronosketch.quantile.{HighTailSketch, QuantileRecipe}

/** Measures how many values per second of CPU time a sketch with a tail takes beside a uniform one, in turns: into one sketch and into a
  * thousand. Prints a table. Arguments: the number of rounds, of values, and the inputs; by default all inputs.
  */
object TailTurns {
  private val Groups = 1000
  private val Uniform = QuantileRecipe(Domain.Double, 1e-3)
  private val OfTail = QuantileRecipe(Domain.Double, 0.01, HighTailSketch)

  private var seen = 0L

  def main(arguments: Array[String]): Unit = {
    val rounds = arguments(0).toInt
    val n = arguments(1).toInt
    val inputs = if (arguments.length > 2) arguments.drop(2).toSeq else Inputs.Names
    println(
      "| input | sketches | ε = 1e-3, M/s | ε = 0.01 of a tail, M/s | times as fast |\n|---|---|---|---|---|"
    )
    for (input <- inputs) {
      val keys = Inputs(input, n).map(DoubleKeys.key)
      val random = new SplittableRandom(45L)
      val groups = Array.fill(n)(random.nextInt(Groups))
      row(input, 1, rounds, n)(one(keys, _))
      row(input, Groups, rounds, n)(grouped(keys, groups, _))
    }
    if (seen == 0L) println("nothing was inserted")
  }

  private def row(input: String, sketches: Int, rounds: Int, n: Int)(run: QuantileRecipe => Long): Unit = {
    // the first two rounds warm up the JIT compiler
    val times = Seq.fill(rounds + 2)((seconds(run(Uniform)), seconds(run(OfTail)))).drop(2)
    val ratios = times.map { case (uniform, tail) => uniform / tail }.sorted
    def speed(of: Seq[Double]): Double = n / of.sorted.apply(rounds / 2) / 1e6
    println(
      f"| $input | $sketches | ${speed(times.map(_._1))}%.1f | ${speed(times.map(_._2))}%.1f | ${ratios(rounds / 2)}%.2f (${ratios.head}%.2f–${ratios.last}%.2f) |"
    )
  }

  private def seconds(run: => Long): Double = {
    val start = CpuTime.nanoseconds
    seen += run
    (CpuTime.nanoseconds - start) / 1e9
  }

  private def one(keys: Array[Long], recipe: QuantileRecipe): Long = {
    val sketch = recipe.empty
    var from = 0
    while (from < keys.length) {
      val until = math.min(keys.length, from + Block)
      sketch.insertAll(keys, from, until)
      from = until
    }
    sketch.tuples.toLong
  }

  private def grouped(keys: Array[Long], groups: Array[Int], recipe: QuantileRecipe): Long = {
    val all = new GroupedInserts(recipe, new Meter)
    val someKeys = new Array[Long](GroupBlock)
    val someGroups = new Array[Int](GroupBlock)
    var from = 0
    while (from < keys.length) {
      val n = math.min(keys.length - from, GroupBlock)
      System.arraycopy(keys, from, someKeys, 0, n)
      System.arraycopy(groups, from, someGroups, 0, n)
      all.insertAll(someGroups, someKeys, n, Groups)
      from += n
    }
    (0 until Groups).map(group => all.seal(group).length.toLong).sum
  }

  private val Block = 4096
  private val GroupBlock = 1 << 16
}
