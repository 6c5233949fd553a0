package chronosketch.sliding.sampled

import java.util.SplittableRandom

import chronosketch.memory.Meter

/** Samples elements with a probability that falls with their age, however long the frame is.
  *
  * Guarantee  after t elements the r-th is in the sample with probability about e^{−λ(t − r)}, λ = −ln(1 − 1/size). Nothing else
  *            is guaranteed: the sample contains elements that left the frame, a share of e^{−λR} once R·λ elements were
  *            replaced, and newer elements have more weight than older ones. If the distribution of the data moves, the quantiles
  *            are not those of the frame, and no [[FrameSampleSize.band]] holds for them. For data in random order they are those
  *            of a smaller uniform sample
  * Cost       O(1) per element; a query sorts the sample; 16 bytes per element of the sample
  * Source     Aggarwal, On biased reservoir sampling in the presence of stream evolution, 2006, §2; Meijer 2011, §4.5.3
  */
final class BiasedReservoir(capacity: Int, seed: Long) extends SortedSample {
  private val random = new SplittableRandom(seed)
  private val keys = new Array[Long](capacity)
  private var filled = 0
  private var elements = 0L

  /** Draws a place at random. If it is filled, the element replaces the one there; otherwise it is added. */
  def append(key: Long): Unit = {
    val place = random.nextInt(capacity)
    if (place < filled) keys(place) = key
    else {
      keys(filled) = key
      filled += 1
    }
    elements += 1
    markStale()
  }

  /** Only the count changes: the sample itself does not depend on which elements are in the frame. */
  def expire(gone: Long): Unit = elements -= gone

  def count: Long = elements
  def stored: Long = filled.toLong
  def sizeBytes: Long = sortedBytes + Meter.longs(keys.length)

  protected def maxSize: Int = filled
  protected def gather(into: Array[Long]): Int = {
    System.arraycopy(keys, 0, into, 0, filled)
    filled
  }
}

object BiasedReservoir extends SampleStructure[BiasedReservoir]("biased_reservoir", "biased reservoir") {
  def of(capacity: Long, epsilon: Double, delta: Double, seed: Long): BiasedReservoir =
    new BiasedReservoir(FrameSampleSize.within(capacity, epsilon, delta), seed)

  /** Size of a reservoir that forgets at rate λ: ⌈1/(1 − e^{−λ})⌉. */
  def sizeAt(lambda: Double): Int = math.ceil(-1 / math.expm1(-lambda)).toInt
}
