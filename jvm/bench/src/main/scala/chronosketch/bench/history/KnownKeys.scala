package chronosketch.bench.history

import java.util.Arrays

/** Which key has a rank, where all keys that can come are known before? A Fenwick tree: log of the keys a change, and a question. */
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

  /** The key of the rank, from 1 to the count. */
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
