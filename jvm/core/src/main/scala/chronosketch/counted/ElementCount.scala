package chronosketch.counted

import chronosketch.Refusal

/** How many elements does a bag have, where that is a number of 63 bits?
  *
  * Guarantee  a count beyond 63 bits is refused, never wrong
  * Cost       a comparison
  */
object ElementCount {

  /** A sum of counts. One that ran over is negative: single elements are added without a look, and refused here. */
  def of(sum: Long): Long = if (sum < 0) throw overflow else sum

  /** Refuses what would not fit beside the elements held. */
  def requireRoom(held: Long, more: Long): Unit = if (Long.MaxValue - held < more) throw overflow

  private def overflow: Refusal = Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> Long.MaxValue.toString)
}
