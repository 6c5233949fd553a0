package chronosketch.bench

import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

/** Measures how many values per second one core inserts into one sketch. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.Throughput))
@OutputTimeUnit(TimeUnit.SECONDS)
class InsertBenchmark {
  @Param(Array("lognormal", "sorted", "reversed", "zigzag", "duplicates", "zipf"))
  var input: String = ""

  @Param(Array("gk 1e-3", "gk 1e-4", "kll 2000"))
  var sketch: String = ""

  private var values: Array[Double] = Array.empty

  @Setup
  def prepare(): Unit = values = Inputs(input, InsertBenchmark.Values)

  /** Includes merging the buffered values before the clock stops. */
  @Benchmark
  @OperationsPerInvocation(InsertBenchmark.Values)
  def insert(): Long = Sketches.inserted(values, sketch)
}

object InsertBenchmark {
  final val Values = 10000000
}
