package chronosketch.sliding

/** Grows work arrays: returns the array itself if it is long enough, otherwise a new one. A new array is at least half as long
  * again, because the demand of successive runs grows in small steps. The old contents are not copied.
  */
private[chronosketch] object WorkArrays {
  def atLeast(array: Array[Long], needed: Int): Array[Long] =
    if (array.length >= needed) array else new Array(grown(array.length, needed))

  def atLeast(array: Array[Int], needed: Int): Array[Int] =
    if (array.length >= needed) array else new Array(grown(array.length, needed))

  def atLeast(array: Array[Byte], needed: Int): Array[Byte] =
    if (array.length >= needed) array else new Array(grown(array.length, needed))

  def atLeast(array: Array[Double], needed: Int): Array[Double] =
    if (array.length >= needed) array else new Array(grown(array.length, needed))

  /** If the sum overflows, it is negative and `needed` wins. */
  private def grown(length: Int, needed: Int): Int = math.max(needed, length + (length >> 1))
}
