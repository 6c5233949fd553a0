package chronosketch.sliding

/** The array itself, or a longer one where it is too short: half as long again at least, since what runs need grows little by little.
  * What was in it is lost.
  */
private[chronosketch] object Room {
  def of(array: Array[Long], needed: Int): Array[Long] =
    if (array.length >= needed) array else new Array(grown(array.length, needed))

  def of(array: Array[Int], needed: Int): Array[Int] =
    if (array.length >= needed) array else new Array(grown(array.length, needed))

  def of(array: Array[Byte], needed: Int): Array[Byte] =
    if (array.length >= needed) array else new Array(grown(array.length, needed))

  def of(array: Array[Double], needed: Int): Array[Double] =
    if (array.length >= needed) array else new Array(grown(array.length, needed))

  /** The sum goes negative beyond the longest array that there can be. */
  private def grown(length: Int, needed: Int): Int = math.max(needed, length + (length >> 1))
}
