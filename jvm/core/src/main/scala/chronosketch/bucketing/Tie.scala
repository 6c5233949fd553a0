package chronosketch.bucketing

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
  def of(key: Long): Long = {
    var z = key + Shift
    z = (z ^ (z >>> 30)) * First
    z = (z ^ (z >>> 27)) * Second
    z ^ (z >>> 31)
  }

  def key(tie: Long): Long = {
    var z = tie ^ (tie >>> 31) ^ (tie >>> 62)
    z *= SecondInverse
    z = z ^ (z >>> 27) ^ (z >>> 54)
    z *= FirstInverse
    (z ^ (z >>> 30) ^ (z >>> 60)) - Shift
  }

  private final val Shift = 0x9e3779b97f4a7c15L
  private final val First = 0xbf58476d1ce4e5b9L
  private final val Second = 0x94d049bb133111ebL

  private val FirstInverse: Long = inverse(First)
  private val SecondInverse: Long = inverse(Second)

  /** Newton's iteration: each step doubles the bits that are right, of which three are to begin with. */
  private def inverse(odd: Long): Long = (1 to 5).foldLeft(odd)((x, _) => x * (2 - odd * x))
}
