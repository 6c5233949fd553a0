package chronosketch.bench

import java.util.concurrent.TimeUnit

import org.apache.datasketches.kll.KllDoublesSketch
import org.openjdk.jmh.annotations._

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.Phi
import chronosketch.summary.Envelope

/** Fills our sketch and KLL row by row. Ours maps each double to its key, KLL takes the double. */
object Sketches {

  /** The k of KLL whose single-sided rank error is 0.1 %, for comparisons with ε = 1e-3. */
  val KllAtThousandth = 2862

  // the parameter of a benchmark is "gk 1e-3" for ours or "kll 2000"
  def isOurs(sketch: String): Boolean = sketch.startsWith("gk ")
  def epsilon(sketch: String): Double = sketch.stripPrefix("gk ").toDouble
  def k(sketch: String): Int = sketch.stripPrefix("kll ").toInt

  def ours(values: Array[Double], from: Int, until: Int, epsilon: Double): GreenwaldKhanna = {
    val sketch = new GreenwaldKhanna(Domain.Double, epsilon)
    var i = from
    while (i < until) { sketch.insert(DoubleKeys.key(values(i))); i += 1 }
    sketch
  }

  /** Inserts all values into one sketch, merges the buffered ones, and returns the count. */
  def inserted(values: Array[Double], sketch: String): Long =
    if (isOurs(sketch)) {
      val built = ours(values, 0, values.length, epsilon(sketch))
      built.tuples
      built.count
    } else kll(values, 0, values.length, k(sketch)).getN

  def kll(values: Array[Double], from: Int, until: Int, k: Int): KllDoublesSketch = {
    val sketch = KllDoublesSketch.newHeapInstance(k)
    var i = from
    while (i < until) { sketch.update(values(i)); i += 1 }
    sketch
  }
}

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

/** Measures how many values per second of CPU time our sketch and KLL insert, also on a shared machine. Prints a table.
  *
  * Both take turns in one process, and the CPU time of the thread counts. [[InsertBenchmark]] uses the wall clock.
  */
object InsertTurns {
  private val Values = 10000000
  private val Sides = Seq("gk 1e-3", "gk 1e-4")
  private val Theirs = "kll 2000"

  private var seen = 0L

  /** Arguments: the number of rounds, and the inputs; by default all inputs. */
  def main(arguments: Array[String]): Unit = {
    val rounds = arguments(0).toInt
    val inputs = if (arguments.length > 1) arguments.tail.toSeq else Inputs.Names
    println("| input | sides | ours, M/s | KLL's, M/s | times as fast |\n|---|---|---|---|---|")
    for (input <- inputs) {
      val values = Inputs(input, Values)
      for (side <- Sides) {
        // the first two rounds warm up the JIT compiler
        val times = Seq.fill(rounds + 2)((seconds(values, side), seconds(values, Theirs))).drop(2)
        val ratios = times.map { case (ours, kll) => kll / ours }.sorted
        val (ours, kll) = (speed(times.map(_._1)), speed(times.map(_._2)))
        println(
          f"| $input | $side / $Theirs | $ours%.1f | $kll%.1f | ${median(ratios)}%.2f (${ratios.head}%.2f–${ratios.last}%.2f) |"
        )
      }
    }
    if (seen == 0L) println("nothing was inserted")
  }

  private def seconds(values: Array[Double], side: String): Double = {
    val start = CpuTime.nanoseconds
    seen += Sketches.inserted(values, side)
    (CpuTime.nanoseconds - start) / 1e9
  }

  private def speed(seconds: Seq[Double]): Double = Values / median(seconds.sorted) / 1e6

  private def median(sorted: Seq[Double]): Double = sorted(sorted.size / 2)
}

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
