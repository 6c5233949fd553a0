package chronosketch.counted

/** The first n keys of an array, which are in order.
  *
  * Cost  [[seek]] a load; [[distinct]] and [[onceOrTwice]] a pass over the keys
  */
final class SortedKeys(sorted: Array[Long], n: Int) extends CountedKeys {
  def total: Long = n.toLong
  def distinct: Int = apart(1)
  def onceOrTwice: Long = apart(2).toLong

  /** How many keys there are, of which each counts so many times at most. */
  private def apart(most: Int): Int = {
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
