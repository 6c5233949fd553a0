package chronosketch.bench

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import chronosketch.domain.Domain
import chronosketch.grouped.GroupedInserts
import chronosketch.memory.Meter
import chronosketch.quantile.QuantileRecipe

/** Measures the time to unite the parts of all groups and to seal the unions: parts that are merged when they arrive, compared with parts
  * that are kept and merged in an order of their own. As many values in all shapes: few groups of many values, and many of few.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
class PartOrderBenchmark {

  /** The groups, the parts of each, and the values of a part. */
  @Param(Array("1 200 100000", "1000 200 100", "1000 8 2000", "200000 8 3", "200000 8 20"))
  var shape: String = ""

  @Param(Array("merged", "kept"))
  var how: String = ""

  private val recipe = QuantileRecipe(Domain.BigInt, 1e-3)
  private var groups = 0
  private var parts: Array[Array[Byte]] = Array.empty

  @Setup
  def prepare(): Unit = {
    val numbers = shape.split(" ").map(_.toInt)
    groups = numbers(0)
    val (tasks, values) = (numbers(1), numbers(2))
    val random = new SplittableRandom(47L)
    parts = Array.fill(tasks) {
      val task = new GroupedInserts(recipe, new Meter)
      var g = 0
      while (g < groups) {
        var i = 0
        while (i < values) { task.insert(g, random.nextLong(1L << 40)); i += 1 }
        g += 1
      }
      Array.tabulate(groups)(task.sealPart)
    }.flatten
  }

  @Benchmark
  def unite(): Long = {
    val united = new GroupedInserts(recipe, new Meter)
    var i = 0
    if (how == "kept") while (i < parts.length) { united.keepPart(i % groups, parts(i)); i += 1 }
    else while (i < parts.length) { united.mergePart(i % groups, parts(i)); i += 1 }
    var bytes = 0L
    var g = 0
    while (g < groups) {
      bytes += united.seal(g).length
      united.forget(g)
      g += 1
    }
    bytes
  }
}
