package chronosketch.history.live

import java.util.Arrays

import chronosketch.Refusal
import chronosketch.memory.Meter
import chronosketch.sort.PairSort

/** By how much does one version change each key?
  *
  * Guarantee  one change a key, the sum of what came: the order of what came leaves no trace
  * Cost       a sort of what came; room for twice the different keys
  */
private[history] final class VersionChanges {
  private var keys = new Array[Long](VersionChanges.Least)
  private var changes = new Array[Long](VersionChanges.Least)
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

  /** The keys in order, each once, with the sum of its changes. */
  def net(): Unit = if (n > 1) {
    sort.sort(keys, changes, n)
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
    if (keys.length > VersionChanges.Most) {
      keys = new Array[Long](VersionChanges.Least)
      changes = new Array[Long](VersionChanges.Least)
    }
  }
}

private[history] object VersionChanges {
  private val Least = 16

  /** More room than this is given back after a version. */
  private val Most = 1 << 16

  private def sum(a: Long, b: Long): Long = {
    val s = a + b
    if (((a ^ s) & (b ^ s)) < 0)
      throw Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> Long.MaxValue.toString)
    s
  }
}
