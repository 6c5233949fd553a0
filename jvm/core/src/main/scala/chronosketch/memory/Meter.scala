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

/** Reports the memory that an object holds to its owner's [[Meter]].
  *
  * Guarantee  the owner's meter counts [[heldBytes]] as of the last [[report]]
  * Cost       a null check if there is no meter
  * Units      bytes, as [[Meter]] counts them
  */
trait Metered {
  private var meter: Meter = null
  private var reported = 0L

  /** The memory that the object holds now. */
  protected def heldBytes: Long

  /** Counts the held memory on `owner` from now on, and no longer on the previous owner. null: on nobody. */
  def meteredBy(owner: Meter): Unit = {
    if (meter != null) meter.add(-reported)
    meter = owner
    reported = 0L
    report()
  }

  /** Must be called when [[heldBytes]] has changed. */
  final protected def report(): Unit = if (meter != null) {
    val held = heldBytes
    meter.add(held - reported)
    reported = held
  }
}
