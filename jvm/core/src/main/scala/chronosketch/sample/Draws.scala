package chronosketch.sample

import chronosketch.codec.SplitMix64

/** A random generator whose state depends on the rows so far.
  *
  * Guarantee  the same seed, stream and preceding rows give the same number. Once two samples have seen different rows, they
  *            share no later numbers even if seeds and streams are equal, so the samples may be merged
  * Cost       two multiplications
  * Units      64 random bits
  * Source     Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014, §4: the output function; departs:
  *            each row is mixed into the state, where theirs counts
  */
private[chronosketch] final class Draws(private var state: Long) {

  /** The random number for the next row. It does not depend on that row. */
  def next(): Long = SplitMix64.mix(state)

  /** Mixes a row into the state. */
  def advance(key: Long): Unit = state = step(state, key)

  /** Mixes the first n of these numbers into the state. */
  def advanceAll(keys: Array[Long], n: Int): Unit = {
    var s = state
    var i = 0
    while (i < n) { s = step(s, keys(i)); i += 1 }
    state = s
  }

  /** Moves on after a draw that belongs to no row. */
  def advance(): Unit = advance(0L)

  /** A number in [0, bound). */
  def below(bound: Long): Long = {
    val drawn = Draws.below(next(), bound)
    advance()
    drawn
  }

  /** A number in (0, 1). */
  def unit(): Double = {
    val drawn = Math.scalb((next() >>> 11) + 0.5, -53)
    advance()
    drawn
  }

  /** The state, which identifies the rows seen so far. */
  def stateId: Long = state

  private def step(state: Long, key: Long): Long = {
    val mixed = (state ^ key) * SplitMix64.Gamma
    (mixed ^ (mixed >>> 32)) + SplitMix64.Gamma
  }
}

private[chronosketch] object Draws {
  def of(seed: Long, stream: Long): Draws =
    new Draws(SplitMix64.mix(seed) ^ SplitMix64.mix(stream + SplitMix64.Gamma))

  /** The priority, of 63 bits, of a row with this identity and key. */
  def priorityOf(salt: Long, id: Long, key: Long): Long =
    SplitMix64.mix(SplitMix64.mix(salt ^ id) ^ key) >>> 1

  /** The part of a row's priority that depends on the seed. */
  def salt(seed: Long): Long = SplitMix64.mix(seed)

  /** Maps 64 random bits to a number in [0, bound). The probability of each number is off by at most bound/2⁶⁴ of itself. */
  def below(bits: Long, bound: Long): Long =
    Math.multiplyHigh(bits, bound) + ((bits >> 63) & bound)
}

/** Numbers the random streams of samples and the parts that a task hands on, so that equal rows in two samples are drawn independently.
  * Otherwise the union of the samples would be less precise than it claims.
  */
private[chronosketch] sealed trait StreamIds extends Serializable {
  def next(): Long
}

private[chronosketch] object StreamIds {

  /** For a single sample, built outside a partitioned query: always stream 0. */
  case object Alone extends StreamIds {
    def next(): Long = 0L
  }

  /** For the samples and the parts of one partition: the first, the second, and so on. */
  final class InPart(part: Int) extends StreamIds {
    private var made = 0L
    def next(): Long = {
      made += 1
      (part.toLong << 40) + made
    }
  }
}
