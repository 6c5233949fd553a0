package chronosketch.bench

import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import chronosketch.summary.Envelope

/** Measures the time to merge a thousand stored sketches of 10 000 values each, at equal rank error, or five thousand exact sketches of
  * 2 000 values each.
  */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MILLISECONDS)
class MergeBenchmark {
  @Param(Array("balanced", "chain", "small"))
  var shape: String = ""

  @Param(Array("gk 1e-3", "kll 2862"))
  var sketch: String = ""

  private var parts: Array[Array[Byte]] = Array.empty

  @Setup
  def prepare(): Unit = {
    val values = Inputs("lognormal", Merging.Parts * Merging.ValuesAPart)
    parts = Merging.stored(values, Merging.valuesAPart(shape)) { (from, until) =>
      if (Sketches.isOurs(sketch)) Envelope.seal(Sketches.ours(values, from, until, Sketches.epsilon(sketch)))
      else Sketches.kll(values, from, until, Sketches.k(sketch)).toByteArray
    }
  }

  @Benchmark
  def merge(): AnyRef = if (Sketches.isOurs(sketch)) Merging.ours(parts, shape) else Merging.kll(parts, shape)
}
