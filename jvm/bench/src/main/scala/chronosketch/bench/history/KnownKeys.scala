package chronosketch.bench.history

import java.util.Arrays

/** Finds the key of a rank when all possible keys are known beforehand, by a Fenwick tree: a change and a question take O(log keys). */
final class KnownKeys(data: Changes) {
  private val keys = data.keys
  private val tree = new Array[Int](keys.length + 1)
  private val highest = Integer.highestOneBit(keys.length)
  private var n = 0

  def count: Int = n

  def apply(change: Long): Unit = {
    val by = if (change < 0) -1 else 1
    var at = 1 + Arrays.binarySearch(keys, if (change < 0) ~change else change)
    while (at < tree.length) { tree(at) += by; at += at & -at }
    n += by
  }

  /** The key of a rank, which is from 1 to the count. */
  def key(rank: Int): Long = {
    var at = 0
    var left = rank
    var step = highest
    while (step > 0) {
      val next = at + step
      if (next < tree.length && tree(next) < left) { left -= tree(next); at = next }
      step >>= 1
    }
    keys(at)
  }
}
