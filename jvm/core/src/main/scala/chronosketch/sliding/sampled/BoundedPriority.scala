package chronosketch.sliding.sampled

import java.util.SplittableRandom

import chronosketch.sample.TopPriorities
import chronosketch.sliding.KeyRing

/** Keeps at most k elements of the frame, the candidates, and the priorities of at most k that left it, the tests: those of the
  * candidates are the sample that are among the k highest of both.
  *
  * Guarantee  uniform given its size, which is k at most: half of k on the mean, or more, where the frame's length does not change
  * Cost       O(log k) an element that becomes a candidate, a random number and a comparison for another; a question sorts the sample;
  *            40 bytes a candidate, 16 a test, and room for as many again
  * Source     Gemulla and Lehner, Sampling time-based sliding windows in bounded space, 2008, §4; Meijer 2011, §4.5.2
  *            (docs/algorithms.md, Sampled frames); departs: frames may change their size
  *
  * A test is due until all elements of the frame came after it left. Those due were all candidates when the frame's first element came,
  * so they are k at most.
  */
final class BoundedPriority(k: Int, seed: Long) extends Gathered with UniformSample {
  private val random = new SplittableRandom(seed)
  private val candidates = new Candidates(k)
  private val tests, dueUntil = new KeyRing
  private val top = new TopPriorities(k)
  private var arrived, left = 0L

  def append(key: Long): Unit = {
    val priority = random.nextLong()
    if (!candidates.isFull || priority > candidates.leastPriority) {
      if (candidates.isFull) candidates.removeLeast()
      candidates.add(key, arrived, priority)
      change()
    }
    arrived += 1
  }

  def expire(elements: Long): Unit = {
    left += elements
    while (candidates.size > 0 && candidates.oldestPlace < left) {
      tests.append(candidates.oldestPriority)
      dueUntil.append(arrived)
      candidates.removeOldest()
      change()
    }
    while (dueUntil.size > 0 && dueUntil(0) <= left) {
      tests.removeHead(1)
      dueUntil.removeHead(1)
      change()
    }
  }

  def count: Long = arrived - left
  def stored: Long = candidates.size.toLong + tests.size
  def sizeBytes: Long =
    gatheredBytes + candidates.sizeBytes + tests.sizeBytes + dueUntil.sizeBytes + top.sizeBytes

  protected def most: Int = candidates.size

  protected def gather(into: Array[Long]): Int = {
    top.clear()
    candidates.offerTo(top)
    var i = 0
    while (i < tests.size) { top.offer(tests(i)); i += 1 }
    candidates.above(top.least, into)
  }
}

object BoundedPriority
    extends SampleStructure[BoundedPriority]("bounded_priority", "bounded priority sample") {

  /** Twice as many candidates as elements that are wanted: so many are in the sample on the mean, and all that there are where no more
    * than these are wanted.
    */
  def of(capacity: Long, epsilon: Double, delta: Double, seed: Long): BoundedPriority =
    new BoundedPriority(2 * FrameSampleSize.within(capacity, epsilon, delta), seed)
}
