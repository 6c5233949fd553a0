package chronosketch.sliding.sampled

import java.util.SplittableRandom

import chronosketch.sliding.KeyRing

/** Keeps each element with one probability, whatever becomes of the others, until it leaves the frame.
  *
  * Guarantee  uniform given its size, which is binomial with mean k = pn in a frame of n elements: above k + √(2k·ln(1/δ)) + ln(1/δ)
  *            with probability ≤ δ
  * Cost       a subtraction for an element that is not kept, a logarithm and 16 bytes for one that is; a question sorts the sample
  * Source     Meijer 2011, §4.5.1; departs: draws how many elements to pass over, not each one's fate
  */
final class Bernoulli(probability: Double, seed: Long) extends Gathered with UniformSample {
  private val random = new SplittableRandom(seed)
  private val perGap = 1 / math.log1p(-probability)
  private val places, keys = new KeyRing
  private var arrived, left = 0L
  private var next = 0L
  pass()

  /** From here over the elements that are not kept. */
  private def pass(): Unit =
    if (probability < 1) next += math.min(1e18, math.floor(math.log(1 - random.nextDouble()) * perGap)).toLong

  def append(key: Long): Unit = {
    if (arrived == next) {
      places.append(arrived)
      keys.append(key)
      next += 1
      pass()
      change()
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
      change()
    }
  }

  def count: Long = arrived - left
  def stored: Long = keys.size.toLong
  def sizeBytes: Long = gatheredBytes + places.sizeBytes + keys.sizeBytes

  protected def most: Int = keys.size
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
