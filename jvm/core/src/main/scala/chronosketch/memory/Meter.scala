package chronosketch.memory

/** Counts the bytes of memory that one owner's data structures hold.
  *
  * Guarantee  the sum of what was reported: a data structure adds the size of an array when it allocates it, and subtracts it
  *            when it drops it
  * Cost       one call per allocated array, none per inserted value
  * Units      bytes of heap, as [[Meter.longs]] and the methods beside it count them: array headers and elements, without the
  *            alignment of fields
  */
final class Meter {
  var bytes: Long = 0L
  def add(n: Long): Unit = bytes += n
}

object Meter {

  /** An estimate of a summary's memory besides its arrays: its header, its fields and the references to it. */
  val ObjectBytes = 128L
  private val HeaderBytes = 16L

  // all empty arrays are one shared object
  def longs(length: Int): Long = if (length == 0) 0L else HeaderBytes + 8L * length
  def references(length: Int): Long = longs(length)
  def doubles(length: Int): Long = longs(length)
  def ints(length: Int): Long = if (length == 0) 0L else HeaderBytes + 4L * length
}
