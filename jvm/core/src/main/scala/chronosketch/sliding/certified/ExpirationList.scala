package chronosketch.sliding.certified

import chronosketch.memory.Meter
import chronosketch.rank.RankProfile
import chronosketch.sliding.{KeyRing, WorkArrays}
import chronosketch.sort.KeySort

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
    KeySort.own.sort(sorted, n)
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
