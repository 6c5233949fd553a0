package chronosketch.advisor

import chronosketch.memory.Meter
import chronosketch.sliding.Frames
import chronosketch.sliding.histogram.FrameNumber
import chronosketch.sliding.moments.{Answers, DoubleSums, FrameMoments, Statistic}
import chronosketch.sliding.order.{BlockSort, Ranks}

/** The workload of consecutive frames over 12 retentions, so that filling the first frame is a small part. */
private abstract class BatchedFrames(cell: Cell, latencies: Latencies) extends Batched {
  protected val rows: Int = math.max(2, (BatchedFrames.Retentions * cell.retention.toLong / cell.slide).toInt)
  protected val frames = new Frames(
    Array.tabulate(rows)(row => row * cell.slide),
    Array.tabulate(rows)(row => row * cell.slide + cell.retention),
    rows
  )
  final val elements: Long = frames.until(rows - 1).toLong
  protected def keys: Array[Long] = Array.tabulate(elements.toInt)(i => latencies.key(i.toLong))
  protected def values: Array[Double] = Array.tabulate(elements.toInt)(i => latencies.value(i.toLong))
}

private object BatchedFrames {
  private val Retentions = 12

  /** Exact medians by sorting blocks. The memory includes the keys of a block, which are at most four frames. */
  final class Sorted(cell: Cell, latencies: Latencies) extends BatchedFrames(cell, latencies) {
    private val sorting = new BlockSort(Ranks(QuantileFrames.Median))
    private val input = keys
    private val out = new Array[Long](rows)

    def run(): Unit = sorting.slide(input, frames, out)
    def bytes: Long = sorting.sizeBytes + Meter.longs(math.min(elements, 4L * cell.retention).toInt)

    /** 0 if the last row's answer is exact, else 1. */
    def error: Double = {
      val seen = java.util.Arrays.copyOfRange(input, frames.from(rows - 1), frames.until(rows - 1))
      java.util.Arrays.sort(seen)
      val exact = seen(QuantileFrames.Median.rank(seen.length.toLong).toInt - 1)
      if (out(rows - 1) == exact) 0.0 else 1.0
    }
  }

  /** Variances by two stacks of moments. The memory includes the elements of a frame. */
  final class Variances(cell: Cell, latencies: Latencies) extends BatchedFrames(cell, latencies) {
    private val moments = new FrameMoments
    private val input = values
    private val statistics = Array[Statistic](Statistic.VariancePop)
    private val out = Array(new Answers)

    def run(): Unit = moments.slide(input, frames, statistics, out)
    def bytes: Long = moments.sizeBytes + Meter.doubles(cell.retention)
    def error: Double =
      NumberFrames.error(
        out(0).values(rows - 1),
        FrameNumber.Variance,
        latencies,
        elements - cell.retention,
        elements
      )
  }

  /** Sums by two stacks. The memory includes the elements of a frame. */
  final class Sums(cell: Cell, latencies: Latencies) extends BatchedFrames(cell, latencies) {
    private val sums = new DoubleSums
    private val input = values
    private val out = new Array[Double](rows)

    def run(): Unit = sums.slide(input, frames, out)
    def bytes: Long = sums.sizeBytes + Meter.doubles(cell.retention)
    def error: Double =
      NumberFrames.error(out(rows - 1), FrameNumber.Sum, latencies, elements - cell.retention, elements)
  }
}
