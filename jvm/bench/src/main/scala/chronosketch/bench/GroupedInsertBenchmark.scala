package chronosketch.bench

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.apache.datasketches.kll.KllDoublesSketch
import org.openjdk.jmh.annotations._

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.quantile.GreenwaldKhanna

/** Measures how many values per second are inserted into a thousand sketches in turn, as rows of a thousand groups. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.SECONDS)
class GroupedInsertBenchmark {
  @Param(Array("gk 1e-3", "gk 1e-4", "kll 2000"))
  var sketch: String = ""

  private var values: Array[Double] = Array.empty
  private var groups: Array[Int] = Array.empty

  @Setup
  def prepare(): Unit = {
    values = Inputs("lognormal", InsertBenchmark.Values)
    val random = new SplittableRandom(45L)
    groups = Array.fill(values.length)(random.nextInt(GroupedInsertBenchmark.Groups))
  }

  @Benchmark
  @OperationsPerInvocation(InsertBenchmark.Values)
  def insert(): AnyRef =
    if (Sketches.isOurs(sketch)) ours(Sketches.epsilon(sketch)) else kll(Sketches.k(sketch))

  private def ours(epsilon: Double): Array[GreenwaldKhanna] = {
    val sketches = Array.fill(GroupedInsertBenchmark.Groups)(new GreenwaldKhanna(Domain.Double, epsilon))
    var i = 0
    while (i < values.length) { sketches(groups(i)).insert(DoubleKeys.key(values(i))); i += 1 }
    sketches.foreach(_.tuples)
    sketches
  }

  private def kll(k: Int): Array[KllDoublesSketch] = {
    val sketches = Array.fill(GroupedInsertBenchmark.Groups)(KllDoublesSketch.newHeapInstance(k))
    var i = 0
    while (i < values.length) { sketches(groups(i)).update(values(i)); i += 1 }
    sketches
  }
}

object GroupedInsertBenchmark {
  final val Groups = 1000
}
