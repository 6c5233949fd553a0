package chronosketch.codec

/** Hashes 64 bits to 64 bits, so that every input bit affects all output bits.
  *
  * Guarantee  a bijection: [[unmix]] is the inverse of [[mix]]. It never changes: stored bytes depend on it
  * Cost       two multiplications
  * Source     Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014, §4 (variant 13 of Stafford)
  */
object SplitMix64 {
  final val Gamma = 0x9e3779b97f4a7c15L
  private final val First = 0xbf58476d1ce4e5b9L
  private final val Second = 0x94d049bb133111ebL

  /** The output for a state. It adds the increment first: otherwise 0 would be mapped to 0. */
  def mix(bits: Long): Long = finish(bits + Gamma)

  /** The finalizer, without the increment. */
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

  /** The inverse modulo 2⁶⁴ by Newton's iteration. Three bits are right at the start, and each step doubles their number. */
  private def inverse(odd: Long): Long = (1 to 5).foldLeft(odd)((x, _) => x * (2 - odd * x))
}
