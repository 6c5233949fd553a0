package chronosketch.counted

import java.util.Arrays

/** A bag of keys in ascending order with their counts. */
trait CountedKeys {

  /** The number of elements. */
  def total: Long

  /** The number of distinct keys. */
  def distinct: Int

  /** The number of tuples that represent the bag exactly: one for a key that occurs once, two for any other key. */
  def exactTuples: Long

  /** Copies the distinct keys, ascending, and their counts. The arrays need at least [[distinct]] elements. */
  def copyTo(keys: Array[Long], copies: Array[Long]): Unit

  /** The key at a rank, counted from 1. The rank must not be below that of the previous call since [[rewind]]. */
  def seek(rank: Long): Long

  /** Lets [[seek]] start again at rank 1. */
  def rewind(): Unit
}

/** The first n keys of a sorted array.
  *
  * Cost  [[seek]]: one load; [[distinct]] and [[exactTuples]]: a pass over the keys
  */
final class SortedKeys(sorted: Array[Long], n: Int) extends CountedKeys {
  def total: Long = n.toLong
  def distinct: Int = countCapped(1)
  def exactTuples: Long = countCapped(2).toLong

  /** The number of elements, if each key counts at most `most` times. */
  private def countCapped(most: Int): Int = {
    var keys = math.min(n, most)
    var i = most
    while (i < n) { if (sorted(i) != sorted(i - most)) keys += 1; i += 1 }
    keys
  }

  def copyTo(keys: Array[Long], copies: Array[Long]): Unit = {
    var o = -1
    var i = 0
    while (i < n) {
      if (i == 0 || sorted(i) != sorted(i - 1)) {
        o += 1
        keys(o) = sorted(i)
        copies(o) = 1L
      } else copies(o) += 1
      i += 1
    }
  }

  def seek(rank: Long): Long = sorted((rank - 1).toInt)
  def rewind(): Unit = ()
}

/** Keeps the n least of the inserted keys.
  *
  * Guarantee  exact; a key that is inserted several times counts as often
  * Cost       a comparison per key; amortised O(log n) for a key that may be among the least; up to 16n bytes
  * Merge      insert the keys of the other
  */
final class LeastKeys(n: Int) {
  private var keys = new Array[Long](math.min(2 * n, LeastKeys.InitialCapacity))
  private var size = 0

  // the n-th least key at the last selection: a greater one cannot be among the n least
  private var most = Long.MaxValue

  def insert(key: Long): Unit = if (key < most || size < n) {
    if (size == keys.length) makeRoom()
    keys(size) = key
    size += 1
  }

  private def makeRoom(): Unit =
    if (keys.length < 2 * n) keys = Arrays.copyOf(keys, math.min(2 * n, 4 * keys.length)) else keepLeast()

  private def keepLeast(): Unit = {
    Arrays.sort(keys, 0, size)
    if (size >= n) {
      size = n
      most = keys(n - 1)
    }
  }

  /** The n least keys in ascending order; all keys if fewer were inserted. */
  def rising: Array[Long] = {
    keepLeast()
    Arrays.copyOf(keys, size)
  }
}

private object LeastKeys {
  val InitialCapacity = 16
}
