package chronosketch.sliding.sampled

import java.util.SplittableRandom

import chronosketch.sliding.KeyRing

/** Samples each element with the same probability, independently of the others, until it leaves the frame.
  *
  * Guarantee  uniform given its size, which is binomial with mean k = pn in a frame of n elements; larger than k + √(2k·ln(1/δ))
  *            + ln(1/δ) with probability ≤ δ
  * Cost       a comparison for an element that is skipped, a logarithm and 16 bytes for one that is sampled; a query sorts the
  *            sample
  * Source     Meijer 2011, §4.5.1; departs: draws the number of elements to skip, not the fate of each one
  */
final class Bernoulli(probability: Double, seed: Long) extends SortedSample with UniformSample {
  private val random = new SplittableRandom(seed)
  private val perGap = 1 / math.log1p(-probability)
  private val places, keys = new KeyRing
  private var arrived, left = 0L
  private var next = 0L
  skipElements()

  /** Draws the number of elements to skip before the next sampled one. */
  private def skipElements(): Unit =
    if (probability < 1) next += math.min(1e18, math.floor(math.log(1 - random.nextDouble()) * perGap)).toLong

  def append(key: Long): Unit = {
    if (arrived == next) {
      places.append(arrived)
      keys.append(key)
      next += 1
      skipElements()
      markStale()
    }
    arrived += 1
  }

  def expire(elements: Long): Unit = {
    left += elements
    var gone = 0
    while (gone < places.size && places(gone) < left) gone += 1
    if (gone > 0) {
      places.removeHead(gone)
      keys.removeHead(gone)
      markStale()
    }
  }

  def count: Long = arrived - left
  def stored: Long = keys.size.toLong
  def sizeBytes: Long = sortedBytes + places.sizeBytes + keys.sizeBytes

  protected def maxSize: Int = keys.size
  protected def gather(into: Array[Long]): Int = {
    keys.copyTo(into)
    keys.size
  }
}

object Bernoulli extends SampleStructure[Bernoulli]("bernoulli", "Bernoulli sample") {
  def of(capacity: Long, epsilon: Double, delta: Double, seed: Long): Bernoulli =
    new Bernoulli(
      math.min(1.0, FrameSampleSize.within(capacity, epsilon, delta) / math.max(1.0, capacity.toDouble)),
      seed
    )
}
