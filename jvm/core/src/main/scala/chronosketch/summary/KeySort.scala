package chronosketch.summary

import java.util.Arrays

/** Sorts keys. */
private[chronosketch] object KeySort {

  def sort(keys: Array[Long], n: Int): Unit = Arrays.sort(keys, 0, n)

  /** Sorts keys and carries a number with each: least significant byte first, bytes that are all alike left out. */
  def sortWith(keys: Array[Long], carried: Array[Long], n: Int): Unit = {
    var fromKeys = keys
    var fromCarried = carried
    var toKeys, toCarried = new Array[Long](n)
    val counts = new Array[Int](257)
    var shift = 0
    while (shift < 64) {
      Arrays.fill(counts, 0)
      var i = 0
      while (i < n) { counts(digit(fromKeys(i), shift) + 1) += 1; i += 1 }
      if (n > 0 && counts(digit(fromKeys(0), shift) + 1) < n) {
        var d = 0
        while (d < 256) { counts(d + 1) += counts(d); d += 1 }
        i = 0
        while (i < n) {
          val at = digit(fromKeys(i), shift)
          toKeys(counts(at)) = fromKeys(i)
          toCarried(counts(at)) = fromCarried(i)
          counts(at) += 1
          i += 1
        }
        val k = fromKeys
        val c = fromCarried
        fromKeys = toKeys
        fromCarried = toCarried
        toKeys = k
        toCarried = c
      }
      shift += 8
    }
    if (fromKeys ne keys) {
      System.arraycopy(fromKeys, 0, keys, 0, n)
      System.arraycopy(fromCarried, 0, carried, 0, n)
    }
  }

  /** The sign bit turned, so that negative keys come first. */
  private def digit(key: Long, shift: Int): Int = ((key ^ Long.MinValue) >>> shift).toInt & 0xff
}
