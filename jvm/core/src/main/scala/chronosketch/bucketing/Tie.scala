package chronosketch.bucketing

import chronosketch.codec.SplitMix64

/** Orders rows of equal time by a hash of their keys, the tie.
  *
  * Guarantee  a bijection of 64 bits: equal keys have equal ties, and the key can be recovered from the tie. The order of ties is unrelated
  *            to that of the values, so that a window whose edge divides the rows of one time is not biased
  * Cost       two multiplications
  * Units      ties are compared as signed numbers
  * Merge      fixed for ever: stored bytes depend on it through the grid
  * Source     Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014, §4 (variant 13 of Stafford);
  *            differs: a constant is added first, because 0 would stay 0
  */
object Tie {
  def of(key: Long): Long = SplitMix64.mix(key)
  def key(tie: Long): Long = SplitMix64.unmix(tie)
}
