package chronosketch.counted

import java.util.Arrays

/** Which are the n least of the keys that came?
  *
  * Guarantee  exact; a key that comes more than once is there as often
  * Cost       a comparison a key; O(log n) amortised one that may be among them; up to 16n bytes
  * Merge      insert the other's
  */
final class LeastKeys(n: Int) {
  private var keys = new Array[Long](math.min(2 * n, LeastKeys.First))
  private var size = 0

  // once n keys have been chosen, no greater one can be among them
  private var most = Long.MaxValue

  def insert(key: Long): Unit = if (key < most || size < n) {
    if (size == keys.length) makeRoom()
    keys(size) = key
    size += 1
  }

  private def makeRoom(): Unit =
    if (keys.length < 2 * n) keys = Arrays.copyOf(keys, math.min(2 * n, 4 * keys.length)) else choose()

  private def choose(): Unit = {
    Arrays.sort(keys, 0, size)
    if (size >= n) {
      size = n
      most = keys(n - 1)
    }
  }

  /** They, rising: n of them, or all where fewer came. */
  def rising: Array[Long] = {
    choose()
    Arrays.copyOf(keys, size)
  }
}

private object LeastKeys {
  val First = 16
}
