package chronosketch.bench

import java.util.concurrent.TimeUnit

import org.apache.datasketches.kll.KllDoublesSketch
import org.openjdk.jmh.annotations._

import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.Phi
import chronosketch.summary.Envelope

/** Measures the time of p99 from a stored sketch of 10 M values, and from a live sketch that was queried before. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
class AskBenchmark {
  @Param(Array("gk 1e-3", "kll 2862"))
  var sketch: String = ""

  private var bytes: Array[Byte] = Array.empty
  private var ours: GreenwaldKhanna = null
  private var kll: KllDoublesSketch = null
  private val phi = Phi(0.99)

  @Setup
  def prepare(): Unit = {
    val values = Inputs("lognormal", InsertBenchmark.Values)
    if (Sketches.isOurs(sketch)) {
      ours = Sketches.ours(values, 0, values.length, Sketches.epsilon(sketch))
      bytes = Envelope.seal(ours)
    } else {
      kll = Sketches.kll(values, 0, values.length, Sketches.k(sketch))
      bytes = kll.toByteArray
    }
  }

  @Benchmark
  def live(): Double =
    if (ours != null) ours.profile.quantile(phi).toDouble else kll.getQuantile(0.99)

  @Benchmark
  def stored(): Double =
    if (ours != null) Merging.decodeOurs(bytes).profile.quantile(phi).toDouble
    else Merging.decodeKll(bytes).getQuantile(0.99)
}
