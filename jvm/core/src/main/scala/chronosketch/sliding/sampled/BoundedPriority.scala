package chronosketch.sliding.sampled

import java.util.SplittableRandom

import chronosketch.sample.TopPriorities
import chronosketch.sliding.KeyRing

/** Priority sampling in bounded space. It stores at most k elements of the frame, the candidates, and the priorities of at most k
  * that left it, the tests. The sample consists of the candidates among the k highest priorities of both.
  *
  * Guarantee  uniform given its size, which is at most k; on average at least k/2 if the frame's length does not change
  * Cost       O(log k) for an element that becomes a candidate, a random number and a comparison for any other; a query sorts the
  *            sample; 40 bytes per candidate, 16 per test, and as much again of spare capacity
  * Source     Gemulla and Lehner, Sampling time-based sliding windows in bounded space, 2008, §4; Meijer 2011, §4.5.2
  *            (docs/algorithms.md, Sampled frames); departs: frames may change their size
  *
  * A test is stored until all elements of the frame arrived after it left. The tests stored at a time were all candidates when
  * the frame's first element arrived, so there are at most k.
  */
final class BoundedPriority(k: Int, seed: Long) extends SortedSample with UniformSample {
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
      markStale()
    }
    arrived += 1
  }

  def expire(elements: Long): Unit = {
    left += elements
    while (candidates.size > 0 && candidates.oldestPlace < left) {
      tests.append(candidates.oldestPriority)
      dueUntil.append(arrived)
      candidates.removeOldest()
      markStale()
    }
    while (dueUntil.size > 0 && dueUntil(0) <= left) {
      tests.removeHead(1)
      dueUntil.removeHead(1)
      markStale()
    }
  }

  def count: Long = arrived - left
  def stored: Long = candidates.size.toLong + tests.size
  def sizeBytes: Long =
    sortedBytes + candidates.sizeBytes + tests.sizeBytes + dueUntil.sizeBytes + top.sizeBytes

  protected def maxSize: Int = candidates.size

  protected def gather(into: Array[Long]): Int = {
    top.clear()
    candidates.offerTo(top)
    var i = 0
    while (i < tests.size) { top.offer(tests(i)); i += 1 }
    candidates.copyAbove(top.least, into)
  }
}

object BoundedPriority
    extends SampleStructure[BoundedPriority]("bounded_priority", "bounded priority sample") {

  /** Uses twice as many candidates as sampled elements wanted: that many are sampled on average, and the sample is complete if
    * the frame has no more elements than wanted.
    */
  def of(capacity: Long, epsilon: Double, delta: Double, seed: Long): BoundedPriority =
    new BoundedPriority(2 * FrameSampleSize.within(capacity, epsilon, delta), seed)
}
