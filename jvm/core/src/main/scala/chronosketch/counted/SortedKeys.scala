package chronosketch.counted

/** The first n keys of an array, which are in order.
  *
  * Cost  [[seek]] a load; [[distinct]] and [[onceOrTwice]] a pass over the keys, once
  */
final class SortedKeys(sorted: Array[Long], n: Int) extends CountedKeys {
  private lazy val counted: (Int, Long) = {
    var keys = 0
    var tuples = 0L
    var i = 0
    while (i < n) {
      val isNew = i == 0 || sorted(i) != sorted(i - 1)
      if (isNew) keys += 1
      if (isNew || i == 1 || sorted(i) != sorted(i - 2)) tuples += 1
      i += 1
    }
    (keys, tuples)
  }

  def total: Long = n.toLong
  def distinct: Int = counted._1
  def onceOrTwice: Long = counted._2

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
