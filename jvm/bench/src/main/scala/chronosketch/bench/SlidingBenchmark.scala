package chronosketch.bench

import java.util.concurrent.TimeUnit

import org.openjdk.jmh.annotations._

import chronosketch.domain.DoubleKeys
import chronosketch.rank.Phi
import chronosketch.sliding.Frames
import chronosketch.sliding.order.{BlockSort, Ranks}

/** Measures the time per row of a frame of the row and the preceding ones. */
@State(Scope.Thread)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.NANOSECONDS)
class SlidingBenchmark {
  @Param(Array("lognormal", "sorted", "zigzag", "duplicates", "zipf"))
  var input: String = ""

  @Param(Array("100", "1000", "10000", "100000", "1000000", "all"))
  var width: String = ""

  @Param(Array("0.99", "0.5", "0.5 0.9 0.99"))
  var phis: String = ""

  private var keys: Array[Long] = Array.empty
  private var frames: Frames = new Frames(Array.empty, Array.empty, 0)
  private var sliding: BlockSort = new BlockSort(Ranks())
  private var out: Array[Long] = Array.empty

  @Setup
  def prepare(): Unit = {
    val rows = SlidingBenchmark.Rows
    val wide = if (width == "all") rows else width.toInt
    keys = Inputs(input, rows).map(DoubleKeys.key)
    frames =
      new Frames(Array.tabulate(rows)(i => math.max(0, i + 1 - wide)), Array.tabulate(rows)(_ + 1), rows)
    val quantiles = phis.split(' ').toSeq.map(phi => Phi(phi.toDouble))
    sliding = new BlockSort(Ranks(quantiles: _*))
    out = new Array[Long](rows * quantiles.length)
  }

  /** Includes sorting. */
  @Benchmark
  @OperationsPerInvocation(SlidingBenchmark.Rows)
  def slide(): Array[Long] = {
    sliding.slide(keys, frames, out)
    out
  }
}

object SlidingBenchmark {
  final val Rows = 5000000
}
