package chronosketch.memory

/** How much memory does what one owner keeps hold?
  *
  * Guarantee  the sum of what was reported: whoever takes an array adds its size, and subtracts it when the array is dropped
  * Cost       a call where an array is made, none where a value is inserted
  * Units      bytes of heap, as [[Meter.longs]] and its kin count them: headers and elements, no alignment of fields
  * Merge      none
  */
final class Meter {
  var bytes: Long = 0L
  def add(n: Long): Unit = bytes += n
}

object Meter {

  /** An object's header and fields, and the references to it: what a summary takes beside its arrays. */
  val ObjectBytes = 128L
  private val HeaderBytes = 16L

  // an empty array is shared by all
  def longs(length: Int): Long = if (length == 0) 0L else HeaderBytes + 8L * length
  def references(length: Int): Long = longs(length)
  def doubles(length: Int): Long = longs(length)
  def ints(length: Int): Long = if (length == 0) 0L else HeaderBytes + 4L * length
}
