package chronosketch.counted

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
