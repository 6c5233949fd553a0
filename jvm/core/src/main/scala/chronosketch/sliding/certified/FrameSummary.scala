package chronosketch.sliding.certified

import scala.collection.mutable.ArrayDeque

import chronosketch.domain.Domain
import chronosketch.memory.Meter
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.RankProfile
import chronosketch.sliding.{KeyRing, RetainedElements, WorkArrays}
import chronosketch.sort.KeySort

/** Summarises the ranks of the elements in one frame that is too large to be stored and whose two ends only move forward. */
trait FrameSummary extends RetainedElements {

  /** Largest number of elements that the frame may have. */
  def capacity: Long

  /** Adds the next element. */
  def append(key: Long): Unit

  /** Adds the certain rank bounds to `ranks`, as bags that together contain all elements. */
  def describe(ranks: FrameRanks): Unit
}

/** A factory for one kind of frame summary. */
abstract class FrameStructure(val name: String, val text: String) extends Serializable {

  /** An empty summary whose answers are wrong by at most `epsilon`·capacity ranks. */
  def of(capacity: Long, epsilon: Double): FrameSummary

  override def toString: String = name
}

/** Stores all elements of a frame.
  *
  * Guarantee  exact, for frames of any length
  * Cost       O(1) per element; a query sorts all of them; 8 bytes per element, and 32 more once there was a query
  * Source     Meijer 2011, §4.3; departs: no tree in addition to the list
  */
final class ExpirationList(val capacity: Long) extends FrameSummary {
  private val elements = new KeyRing
  private var sorted = Array.emptyLongArray

  def append(key: Long): Unit = elements.append(key)
  def expire(gone: Long): Unit = elements.removeHead(Math.toIntExact(gone))
  def count: Long = elements.size.toLong
  def stored: Long = count
  def sizeBytes: Long = Meter.ObjectBytes + elements.sizeBytes + Meter.longs(sorted.length)

  def describe(ranks: FrameRanks): Unit = {
    val n = elements.size
    sorted = WorkArrays.atLeast(sorted, n)
    elements.copyTo(sorted)
    KeySort.ofThread.sort(sorted, n)
    val keys, atMost = new Array[Long](n)
    var size = 0
    var i = 0
    while (i < n) {
      if (size == 0 || keys(size - 1) != sorted(i)) size += 1
      keys(size - 1) = sorted(i)
      i += 1
      atMost(size - 1) = i.toLong
    }
    ranks.add(RankProfile.certain(size, keys, atMost, atMost, n.toLong), 0L)
  }
}

object ExpirationList extends FrameStructure("expiration_list", "expiration list") {
  def of(capacity: Long, epsilon: Double): FrameSummary = new ExpirationList(capacity)
}

/** Summarises a frame that only grows.
  *
  * Guarantee  rank error ≤ ε/2 of its elements while none leaves; each element that leaves may add one rank
  * Cost       that of [[GreenwaldKhanna]]
  * Source     Greenwald and Khanna 2001
  */
final class GrowingFrame(epsilon: Double) extends FrameSummary {
  private val sketch = new GreenwaldKhanna(Domain.BigInt, epsilon)
  private var gone = 0L

  def capacity: Long = Long.MaxValue
  def append(key: Long): Unit = sketch.insert(key)
  def expire(elements: Long): Unit = gone += elements
  def count: Long = sketch.count - gone
  def stored: Long = sketch.tuples.toLong
  def sizeBytes: Long = Meter.ObjectBytes + sketch.sizeBytes
  def describe(ranks: FrameRanks): Unit = ranks.add(sketch.profile, gone)
}

object GrowingFrame extends FrameStructure("greenwald_khanna", "Greenwald–Khanna") {
  def of(capacity: Long, epsilon: Double): FrameSummary = new GrowingFrame(epsilon)
}

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
