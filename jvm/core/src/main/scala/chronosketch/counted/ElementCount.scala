package chronosketch.counted

import chronosketch.Refusal

/** Checks that the number of elements of a bag stays below 2⁶³.
  *
  * Guarantee  a count of 2⁶³ or more is refused, never wrong
  * Cost       a comparison
  */
object ElementCount {

  /** Returns a sum of counts. Refuses a negative one: single elements are added without a check, so the sum may have overflowed. */
  def of(sum: Long): Long = if (sum < 0) throw overflow else sum

  /** Refuses to add `more` elements to `held` ones if the sum would overflow. */
  def requireRoom(held: Long, more: Long): Unit = if (Long.MaxValue - held < more) throw overflow

  private def overflow: Refusal = Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> Long.MaxValue.toString)
}
