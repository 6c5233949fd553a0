package chronosketch.sliding

/** The elements that a data structure retains of one frame whose two ends only move forward.
  *
  * Units  bytes of heap as [[chronosketch.memory.Meter]] counts them: arrays by their length, and a constant for every other
  *        object
  */
trait RetainedElements {

  /** Removes the n oldest elements, n = `elements`. */
  def expire(elements: Long): Unit

  /** Number of elements in the frame. */
  def count: Long

  /** Number of values stored for these elements. */
  def stored: Long

  /** Memory in use, including spare capacity. */
  def sizeBytes: Long
}
