package chronosketch.history

import chronosketch.codec.SplitMix64

/** Do two bags have the same elements?
  *
  * Guarantee  equal bags have equal prints, whatever the order they came in; bags that differ have equal ones with chance 2⁻¹²⁸,
  *            unless somebody looks for them
  * Cost       two multiplications by mixed keys a change
  *
  * @param count elements
  * @param one   sum of their hashes
  * @param other sum of other hashes
  */
private[history] final case class Print(count: Long, one: Long, other: Long)

private[history] object Print {

  /** Two hashes of a key: the finalizer of SplitMix64 at two places. */
  def one(key: Long): Long = SplitMix64.mix(key)
  def other(key: Long): Long = SplitMix64.finish(key ^ 0xd1b54a32d192ed03L)
}
