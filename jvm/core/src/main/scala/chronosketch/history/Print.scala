package chronosketch.history

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
  def one(key: Long): Long = mix(key + 0x9e3779b97f4a7c15L)
  def other(key: Long): Long = mix(key ^ 0xd1b54a32d192ed03L)

  private def mix(z: Long): Long = {
    val a = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L
    val b = (a ^ (a >>> 27)) * 0x94d049bb133111ebL
    b ^ (b >>> 31)
  }
}
