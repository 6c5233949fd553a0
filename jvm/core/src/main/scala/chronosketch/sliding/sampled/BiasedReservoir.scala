package chronosketch.sliding.sampled

import java.util.SplittableRandom

import chronosketch.memory.Meter

/** Keeps elements the less likely the older they are, however long the frame is.
  *
  * Guarantee  after t elements the r-th is in the sample with probability about e^{−λ(t − r)}, λ = −ln(1 − 1/size). That is all: the
  *            sample has elements that left the frame, a share of e^{−λR} once R·λ elements were replaced, and the newest count for
  *            more than the oldest. Of data whose distribution moves its quantiles are not those of the frame, and no [[FrameSampleSize.band]]
  *            holds for them; of data in random order they are those of a smaller uniform sample
  * Cost       O(1) an element; a question sorts the sample; 16 bytes an element of the sample
  * Source     Aggarwal, On biased reservoir sampling in the presence of stream evolution, 2006, §2; Meijer 2011, §4.5.3
  */
final class BiasedReservoir(capacity: Int, seed: Long) extends Gathered {
  private val random = new SplittableRandom(seed)
  private val keys = new Array[Long](capacity)
  private var filled = 0
  private var elements = 0L

  /** In the place of another with the probability that a place drawn at random is filled, beside the others otherwise. */
  def append(key: Long): Unit = {
    val place = random.nextInt(capacity)
    if (place < filled) keys(place) = key
    else {
      keys(filled) = key
      filled += 1
    }
    elements += 1
    change()
  }

  /** The sample forgets by itself. */
  def expire(gone: Long): Unit = elements -= gone

  def count: Long = elements
  def stored: Long = filled.toLong
  def sizeBytes: Long = gatheredBytes + Meter.longs(keys.length)

  protected def most: Int = filled
  protected def gather(into: Array[Long]): Int = {
    System.arraycopy(keys, 0, into, 0, filled)
    filled
  }
}

object BiasedReservoir extends SampleStructure[BiasedReservoir]("biased_reservoir", "biased reservoir") {
  def of(capacity: Long, epsilon: Double, delta: Double, seed: Long): BiasedReservoir =
    new BiasedReservoir(FrameSampleSize.within(capacity, epsilon, delta), seed)

  /** The size of a reservoir that forgets at rate λ: ⌈1/(1 − e^{−λ})⌉. */
  def sizeAt(lambda: Double): Int = math.ceil(-1 / math.expm1(-lambda)).toInt
}
