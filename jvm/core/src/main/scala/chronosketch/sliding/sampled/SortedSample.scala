package chronosketch.sliding.sampled

import chronosketch.memory.Meter
import chronosketch.rank.Phi
import chronosketch.sliding.WorkArrays
import chronosketch.sort.KeySort

/** A sample that is sorted by key when it is queried after a change. */
private[sampled] abstract class SortedSample extends FrameSample {
  private var sorted = Array.emptyLongArray
  private var sortedSize = 0
  private var isStale = false

  /** Upper bound for the current size of the sample. */
  protected def maxSize: Int

  /** Writes the keys of the sample in any order, and returns their number. */
  protected def gather(keys: Array[Long]): Int

  final protected def markStale(): Unit = isStale = true

  private def sortIfStale(): Unit = if (isStale) {
    sorted = WorkArrays.atLeast(sorted, maxSize)
    sortedSize = gather(sorted)
    KeySort.own.sort(sorted, sortedSize)
    isStale = false
  }

  final def size: Int = { sortIfStale(); sortedSize }

  final def quantile(phi: Phi): Long = {
    sortIfStale()
    at(phi.rank(sortedSize.toLong).toInt - 1)
  }

  /** The i-th smallest key of the sample, counted from 0. */
  private[sampled] final def at(i: Int): Long = {
    sortIfStale()
    sorted(i)
  }

  final protected def sortedBytes: Long = Meter.ObjectBytes + Meter.longs(sorted.length)
}
