package chronosketch.bench

import java.util.SplittableRandom
import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import chronosketch.domain.Domain
import chronosketch.grouped.GroupedInserts
import chronosketch.memory.Meter
import chronosketch.quantile.{GreenwaldKhanna, QuantileRecipe}
import chronosketch.summary.Envelope

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
