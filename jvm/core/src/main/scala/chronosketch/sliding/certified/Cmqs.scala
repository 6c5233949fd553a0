package chronosketch.sliding.certified

import scala.collection.mutable.ArrayDeque

import chronosketch.domain.Domain
import chronosketch.memory.Meter
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.RankProfile

/** Summarises the last R elements and any suffix of them, in panes of equal width.
  *
  * Guarantee  rank error ≤ ε·R for every frame of at most R elements
  * Cost       that of one [[GreenwaldKhanna]]; O(1/ε²) stored values if R is large enough
  * Source     Lin, Lu, Xu and Yu, Continuously maintaining quantile summaries of the most recent N elements over a data stream,
  *            2004, §4; Lim et al. 2019, §5.1 (CMQS); departs: of a pane that the frame's start cuts only the remaining elements
  *            count
  *
  * A pane has εR/2 elements, summarised by Greenwald–Khanna with ε/2.
  */
final class Cmqs(val capacity: Long, epsilon: Double) extends FrameSummary {
  private val width = math.max(1L, (epsilon * capacity.toDouble / 2).toLong)
  private val panes = new ArrayDeque[RankProfile]
  private var first = 0L // start of the oldest stored pane
  private var filling = newSketch()
  private var arrived, left = 0L

  private def newSketch() = new GreenwaldKhanna(Domain.BigInt, epsilon / 2)

  def count: Long = arrived - left

  def append(key: Long): Unit = {
    filling.insert(key)
    arrived += 1
    if (arrived % width == 0) {
      panes.append(filling.profile)
      filling = newSketch()
    }
  }

  def expire(elements: Long): Unit = {
    left += elements
    while (panes.nonEmpty && first + width <= left) {
      panes.removeHead()
      first += width
    }
  }

  def stored: Long = panes.foldLeft(filling.tuples.toLong)((sum, pane) => sum + pane.size)

  def sizeBytes: Long =
    panes.foldLeft(Meter.ObjectBytes + Meter.references(panes.size) + filling.sizeBytes)(_ + _.sizeBytes)

  def describe(ranks: FrameRanks): Unit = {
    var at = first
    panes.foreach { pane =>
      ranks.add(pane, math.max(0L, left - at))
      at += width
    }
    val rest = arrived % width
    if (rest > 0) ranks.add(filling.profile, math.max(0L, left - (arrived - rest)))
  }
}

object Cmqs extends FrameStructure("cmqs", "CMQS") {
  def of(capacity: Long, epsilon: Double): FrameSummary = new Cmqs(capacity, epsilon)
}
