package chronosketch.advisor

import chronosketch.rank.Phi
import chronosketch.sliding.RetainedElements
import chronosketch.sliding.certified.{FrameRanks, FrameSummary}
import chronosketch.sliding.sampled.FrameSample

/** The workload of medians of frames, by a structure that inserts elements one by one. */
private abstract class QuantileFrames(cell: Cell, latencies: Latencies, structure: RetainedElements)
    extends Stepped {
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

private final class SampledFrames(cell: Cell, latencies: Latencies, sample: FrameSample)
    extends QuantileFrames(cell, latencies, sample) {
  protected def append(key: Long): Unit = sample.append(key)
  def query(): Unit = if (sample.size > 0) answer = sample.quantile(QuantileFrames.Median)
}

private object QuantileFrames {
  val Median: Phi = Phi(0.5)
}
