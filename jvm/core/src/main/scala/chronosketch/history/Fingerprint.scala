package chronosketch.history

import chronosketch.codec.SplitMix64

/** The number of elements of a bag and a 128-bit fingerprint of them, to tell whether two bags are equal.
  *
  * Guarantee  equal bags have equal fingerprints, in whatever order their elements came; two different bags have equal fingerprints with
  *            probability 2⁻¹²⁸, unless somebody constructs them for this
  * Cost       two multiplications by hashes per change
  *
  * @param count number of elements
  * @param hashA sum of the elements' hashes
  * @param hashB sum of other hashes of them
  */
private[history] final case class Fingerprint(count: Long, hashA: Long, hashB: Long)

private[history] object Fingerprint {

  /** Two hashes of a key: the finalizer of SplitMix64 with different offsets. */
  def hashA(key: Long): Long = SplitMix64.mix(key)
  def hashB(key: Long): Long = SplitMix64.finish(key ^ 0xd1b54a32d192ed03L)
}
