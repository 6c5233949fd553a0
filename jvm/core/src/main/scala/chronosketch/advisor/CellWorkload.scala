package chronosketch.advisor

import chronosketch.memory.Meter
import chronosketch.rank.Phi
import chronosketch.sliding.{Frames, RetainedElements}
import chronosketch.sliding.certified.{FrameRanks, FrameSummary}
import chronosketch.sliding.histogram.{Bounds, FrameNumber, FrameNumbers, NumberExpirationList}
import chronosketch.sliding.moments.{Answers, DoubleSums, FrameMoments, Statistic}
import chronosketch.sliding.order.{BlockSort, Ranks}
import chronosketch.sliding.sampled.FrameSample

/** The work of one cell. */
sealed trait CellWorkload {

  /** The current memory in bytes. */
  def bytes: Long

  /** The error of the last answer, relative to the number of elements in the frame or to the exact answer. */
  def error: Double
}

/** A workload that inserts and removes elements one by one, with queries between them. A slide removes and inserts S elements. */
abstract class SteppedWorkload extends CellWorkload {

  /** The number of elements inserted in a slide. */
  def elements: Int

  /** Inserts the elements of the first frame. */
  def fill(): Unit

  def slide(): Unit

  /** Answers `queriesPerCall` times, which is more than once if an answer takes less time than reading the clock. */
  def query(): Unit
  def queriesPerCall: Int
}

/** A workload that answers many frames at once, in arrays, so that updates and queries cannot be separated. */
abstract class BatchedWorkload extends CellWorkload {

  /** The number of elements inserted in one run, including those of the first frame. */
  def elements: Long
  def run(): Unit
}

/** The workload of medians of frames, by a structure that inserts elements one by one. */
private abstract class QuantileFrames(cell: Cell, latencies: Latencies, structure: RetainedElements)
    extends SteppedWorkload {
  protected var until = 0L
  protected var answer = 0L
  final val queriesPerCall = 1
  final val elements = cell.slide

  final def fill(): Unit = {
    val end = until + cell.retention
    while (until < end) { append(latencies.key(until)); until += 1 }
  }

  final def slide(): Unit = {
    var i = 0
    while (i < cell.slide) {
      structure.expire(1L)
      append(latencies.key(until))
      until += 1
      i += 1
    }
  }

  protected def append(key: Long): Unit
  final def bytes: Long = structure.sizeBytes

  final def error: Double = {
    var below, equal = 0L
    var i = until - cell.retention
    while (i < until) {
      val key = latencies.key(i)
      if (key < answer) below += 1
      if (key == answer) equal += 1
      i += 1
    }
    val rank = QuantileFrames.Median.rank(cell.retention.toLong)
    math.max(0L, math.max(below + 1 - rank, rank - below - equal)).toDouble / cell.retention
  }
}

/** Computes medians from a summary with certain rank bounds. */
private final class SummarisedFrames(cell: Cell, latencies: Latencies, summary: FrameSummary)
    extends QuantileFrames(cell, latencies, summary) {
  private val ranks = new FrameRanks

  protected def append(key: Long): Unit = summary.append(key)

  def query(): Unit = {
    ranks.clear()
    summary.describe(ranks)
    answer = ranks.find(QuantileFrames.Median.rank(ranks.count))
  }
}

/** Estimates medians from a random sample. */
private final class SampledFrames(cell: Cell, latencies: Latencies, sample: FrameSample)
    extends QuantileFrames(cell, latencies, sample) {
  protected def append(key: Long): Unit = sample.append(key)
  def query(): Unit = if (sample.size > 0) answer = sample.quantile(QuantileFrames.Median)
}

private object QuantileFrames {
  val Median: Phi = Phi(0.5)
}

/** The workload of counts, sums or variances of frames, by a structure that inserts elements one by one. */
private final class NumberFrames(
    cell: Cell,
    latencies: Latencies,
    aggregate: FrameNumber,
    numbers: FrameNumbers
) extends SteppedWorkload {
  private val bounds = new Bounds
  private var until = 0L
  final val queriesPerCall = 16
  final val elements = cell.slide

  def fill(): Unit = {
    val end = until + cell.retention
    while (until < end) { numbers.append(latencies.value(until)); until += 1 }
  }

  def slide(): Unit = {
    var i = 0
    while (i < cell.slide) {
      numbers.expire(1L)
      numbers.append(latencies.value(until))
      until += 1
      i += 1
    }
  }

  def query(): Unit = {
    var i = 0
    while (i < queriesPerCall) { numbers.answer(aggregate, bounds); i += 1 }
  }

  def bytes: Long = numbers.sizeBytes

  def error: Double = NumberFrames.error(bounds.value, aggregate, latencies, until - cell.retention, until)
}

private object NumberFrames {

  /** The relative error of an answer, compared with the aggregate of all elements of the frame. */
  def error(answer: Double, aggregate: FrameNumber, latencies: Latencies, from: Long, until: Long): Double = {
    val all = new NumberExpirationList
    var i = from
    while (i < until) { all.append(latencies.value(i)); i += 1 }
    val exact = new Bounds
    all.answer(aggregate, exact)
    if (answer == exact.value) 0.0
    else if (exact.value == 0) 1.0
    else math.abs(answer - exact.value) / math.abs(exact.value)
  }
}

/** The workload of consecutive frames over 12 retentions, so that filling the first frame is a small part. */
private abstract class BatchedFrames(cell: Cell, latencies: Latencies) extends BatchedWorkload {
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
