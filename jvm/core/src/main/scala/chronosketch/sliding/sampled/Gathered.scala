package chronosketch.sliding.sampled

import chronosketch.memory.Meter
import chronosketch.rank.Phi
import chronosketch.sliding.Room
import chronosketch.sort.KeySort

/** The sample in order of keys, which is made when it is asked for and has changed. */
private[sampled] abstract class Gathered extends FrameSample {
  private var sorted = Array.emptyLongArray
  private var sortedSize = 0
  private var isStale = false

  /** How many elements the sample can have now, at most. */
  protected def most: Int

  /** Writes the keys of the sample, and says how many there are. */
  protected def gather(keys: Array[Long]): Int

  final protected def change(): Unit = isStale = true

  private def settle(): Unit = if (isStale) {
    sorted = Room.of(sorted, most)
    sortedSize = gather(sorted)
    KeySort.own.sort(sorted, sortedSize)
    isStale = false
  }

  final def size: Int = { settle(); sortedSize }

  final def quantile(phi: Phi): Long = {
    settle()
    at(phi.rank(sortedSize.toLong).toInt - 1)
  }

  /** The i-th of the sample in the order of keys, from 0. */
  private[sampled] final def at(i: Int): Long = {
    settle()
    sorted(i)
  }

  final protected def gatheredBytes: Long = Meter.ObjectBytes + Meter.longs(sorted.length)
}
