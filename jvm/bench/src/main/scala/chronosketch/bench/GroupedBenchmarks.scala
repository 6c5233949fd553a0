package chronosketch.bench

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.apache.datasketches.kll.KllDoublesSketch
import org.openjdk.jmh.annotations._

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.grouped.GroupedInserts
import chronosketch.memory.Meter
import chronosketch.quantile.{GreenwaldKhanna, QuantileRecipe}
import chronosketch.summary.Envelope

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

/** Measures how many values per second are inserted into the sketches of many groups and encoded: shared bags compared with one object
  * per group.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.SECONDS)
class GroupedSummariesBenchmark {
  @Param(Array("1000", "1000000"))
  var groups: Int = 0

  @Param(Array("bags", "objects"))
  var how: String = ""

  private var groupOf: Array[Int] = Array.empty

  @Setup
  def prepare(): Unit = {
    val random = new SplittableRandom(45L)
    groupOf = Array.fill(GroupedSummariesBenchmark.Values)(random.nextInt(groups))
  }

  @Benchmark
  @OperationsPerInvocation(GroupedSummariesBenchmark.Values)
  def insert(): AnyRef = if (how == "bags") bags() else objects()

  @Benchmark
  @OperationsPerInvocation(GroupedSummariesBenchmark.Values)
  def insertAndSeal(): Long = {
    var bytes = 0L
    if (how == "bags") {
      val all = bags()
      var g = 0
      while (g < groups) { bytes += all.seal(g).length; g += 1 }
    } else objects().foreach(s => if (s != null) bytes += Envelope.seal(s).length)
    bytes
  }

  private def bags(): GroupedInserts = {
    val all = new GroupedInserts(QuantileRecipe(Domain.BigInt, 1e-3), new Meter)
    var i = 0
    while (i < groupOf.length) {
      all.insert(groupOf(i), GroupedSummariesBenchmark.key(i))
      i += 1
    }
    all
  }

  private def objects(): Array[GreenwaldKhanna] = {
    val all = new Array[GreenwaldKhanna](groups)
    var i = 0
    while (i < groupOf.length) {
      val group = groupOf(i)
      if (all(group) == null) all(group) = new GreenwaldKhanna(Domain.BigInt, 1e-3)
      all(group).insert(GroupedSummariesBenchmark.key(i))
      i += 1
    }
    all
  }
}

object GroupedSummariesBenchmark {
  final val Values = 20000000

  /** A pseudo-random key for i, computed in a few instructions. */
  def key(i: Int): Long = (i * 0x9e3779b97f4a7c15L) >>> 20
}
