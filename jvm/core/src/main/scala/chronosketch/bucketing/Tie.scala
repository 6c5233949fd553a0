package chronosketch.bucketing

import chronosketch.codec.SplitMix64

/** In which order do rows of one time lie?
  *
  * Guarantee  a bijection of 64 bits: equal exactly where the keys are, and the key comes back; its order has nothing to do with
  *            that of the values, so that a window which cuts a time in two is not biased
  * Cost       two multiplications
  * Units      ties are compared as signed numbers
  * Merge      fixed for ever: it stands, through the grid, in stored bytes
  * Source     Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014, §4 (variant 13 of Stafford);
  *            departs: a constant is added first, for 0 would stay 0
  */
object Tie {
  def of(key: Long): Long = SplitMix64.mix(key)
  def key(tie: Long): Long = SplitMix64.unmix(tie)
}
