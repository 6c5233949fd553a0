package chronosketch.history.live

import java.util.Arrays

import chronosketch.{Cancellation, Refusal}
import chronosketch.memory.Meter
import chronosketch.sort.PairSort

/** Collects the changes of one version and sums them by key, so that their order has no effect.
  *
  * Cost  a sort of the changes; memory for at most twice the number of distinct keys
  */
private[history] final class VersionChanges(cancellation: Cancellation) {
  private var keys = new Array[Long](VersionChanges.MinCapacity)
  private var changes = new Array[Long](VersionChanges.MinCapacity)
  private var n = 0
  private val sort = new PairSort

  def size: Int = n
  def key(i: Int): Long = keys(i)
  def change(i: Int): Long = changes(i)

  def sizeBytes: Long = 2 * Meter.longs(keys.length)

  def add(key: Long, change: Long): Unit = {
    if (n == keys.length) makeRoom()
    keys(n) = key
    changes(n) = change
    n += 1
  }

  private def makeRoom(): Unit = {
    net()
    if (n > keys.length / 2) {
      keys = Arrays.copyOf(keys, 2 * keys.length)
      changes = Arrays.copyOf(changes, keys.length)
    }
  }

  /** Sorts the changes by key, and replaces those of each key by their sum. */
  def net(): Unit = if (n > 1) {
    sort.sort(keys, changes, n, cancellation)
    var o = 0
    var i = 1
    while (i < n) {
      if (keys(i) == keys(o)) changes(o) = VersionChanges.sum(changes(o), changes(i))
      else { o += 1; keys(o) = keys(i); changes(o) = changes(i) }
      i += 1
    }
    n = o + 1
  }

  def clear(): Unit = {
    n = 0
    if (keys.length > VersionChanges.MaxRetained) {
      keys = new Array[Long](VersionChanges.MinCapacity)
      changes = new Array[Long](VersionChanges.MinCapacity)
    }
  }
}

private[history] object VersionChanges {
  private val MinCapacity = 16

  /** After a version, larger arrays than this are released. */
  private val MaxRetained = 1 << 16

  private def sum(a: Long, b: Long): Long = {
    val s = a + b
    if (((a ^ s) & (b ^ s)) < 0)
      throw Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> Long.MaxValue.toString)
    s
  }
}
