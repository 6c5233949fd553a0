package chronosketch.sliding

/** How many elements does one frame have, whose ends both move forward, and what is kept of them?
  *
  * Units  bytes of heap as [[chronosketch.memory.Meter]] counts them: arrays by their length, a constant for every object beside them
  */
trait Kept {

  /** So many leave, the oldest first. */
  def expire(elements: Long): Unit

  /** How many there are. */
  def count: Long

  /** How many values are kept for them. */
  def stored: Long

  /** The memory that it takes now, with room that waits for more. */
  def sizeBytes: Long
}
