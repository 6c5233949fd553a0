package chronosketch.codec

/** 64 bits, each spread over all of them.
  *
  * Guarantee  bijections: [[unmix]] is the way back from [[mix]]
  * Cost       two multiplications
  * Merge      fixed for ever: stored bytes depend on it
  * Source     Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014, §4 (variant 13 of Stafford)
  */
object SplitMix64 {
  final val Gamma = 0x9e3779b97f4a7c15L
  private final val First = 0xbf58476d1ce4e5b9L
  private final val Second = 0x94d049bb133111ebL

  /** The output for a state: its increment first, for 0 would stay 0. */
  def mix(bits: Long): Long = finish(bits + Gamma)

  /** The finalizer alone. */
  def finish(bits: Long): Long = {
    val a = (bits ^ (bits >>> 30)) * First
    val b = (a ^ (a >>> 27)) * Second
    b ^ (b >>> 31)
  }

  def unmix(mixed: Long): Long = {
    var z = mixed ^ (mixed >>> 31) ^ (mixed >>> 62)
    z *= SecondInverse
    z = z ^ (z >>> 27) ^ (z >>> 54)
    z *= FirstInverse
    (z ^ (z >>> 30) ^ (z >>> 60)) - Gamma
  }

  private val FirstInverse: Long = inverse(First)
  private val SecondInverse: Long = inverse(Second)

  /** Newton's iteration: each step doubles the bits that are right, of which three are to begin with. */
  private def inverse(odd: Long): Long = (1 to 5).foldLeft(odd)((x, _) => x * (2 - odd * x))
}
