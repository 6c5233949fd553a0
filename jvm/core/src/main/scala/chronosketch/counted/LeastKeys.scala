package chronosketch.counted

import java.util.Arrays

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
