package chronosketch.sample

import chronosketch.codec.SplitMix64

/** Which random number does the next row get?
  *
  * Guarantee  the same seed, stream and rows before it are the same number. Two samples whose rows differ somewhere share no numbers
  *            from there on, though their seeds and streams be equal: so they may be united
  * Cost       two multiplications
  * Units      64 random bits
  * Source     Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014, §4: the output function; departs: the
  *            state takes in each row, where theirs counts
  */
private[chronosketch] final class Draws(private var state: Long) {

  /** The number of the next row, which is told before the row is looked at. */
  def next(): Long = SplitMix64.mix(state)

  /** On past a row. */
  def pass(key: Long): Unit = state = step(state, key)

  /** On past a draw that belongs to no row. */
  def pass(): Unit = pass(0L)

  /** A number in [0, bound). */
  def below(bound: Long): Long = {
    val drawn = Draws.below(next(), bound)
    pass()
    drawn
  }

  /** A number in (0, 1). */
  def unit(): Double = {
    val drawn = Math.scalb((next() >>> 11) + 0.5, -53)
    pass()
    drawn
  }

  /** What tells this one from others. */
  def mark: Long = state

  private def step(state: Long, key: Long): Long = {
    val mixed = (state ^ key) * SplitMix64.Gamma
    (mixed ^ (mixed >>> 32)) + SplitMix64.Gamma
  }
}

private[chronosketch] object Draws {
  def of(seed: Long, stream: Long): Draws =
    new Draws(SplitMix64.mix(seed) ^ SplitMix64.mix(stream + SplitMix64.Gamma))

  /** The priority of a row that is told by an identity: 63 bits. */
  def told(salt: Long, id: Long, key: Long): Long =
    SplitMix64.mix(SplitMix64.mix(salt ^ id) ^ key) >>> 1

  /** What the seed gives to every row's priority. */
  def salt(seed: Long): Long = SplitMix64.mix(seed)

  /** 64 random bits as a number in [0, bound): its share of any number is off by bound/2⁶⁴ at most. */
  def below(bits: Long, bound: Long): Long =
    Math.multiplyHigh(bits, bound) + ((bits >> 63) & bound)
}
