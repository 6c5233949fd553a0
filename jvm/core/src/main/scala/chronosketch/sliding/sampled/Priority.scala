package chronosketch.sliding.sampled

import java.util.SplittableRandom

import chronosketch.memory.Meter
import chronosketch.sample.TopPriorities

/** Priority sampling. An element is stored while fewer than k later ones have a higher random priority. The k stored elements
  * with the highest priorities are a sample of the frame, and of each later frame that begins in it.
  *
  * Guarantee  uniform, with exactly min(k, n) elements for every frame of n
  * Cost       O(log k) per element, amortised: elements are pruned only when their number has doubled, or for a query, which
  *            reads all of them and sorts the sample. About k·(1 + ln(n/k)) elements of 24 bytes, and up to as many again
  * Source     Babcock, Datar and Motwani, Sampling from a moving window over streaming data, 2002, §3; Meijer 2011, §4.5.2;
  *            departs: without replacement, one priority for all k
  */
final class Priority(k: Int, seed: Long) extends SortedSample with UniformSample {
  private val random = new SplittableRandom(seed)
  private var keys, places, priorities = new Array[Long](Priority.Fewest)
  private var head, end = 0
  private var arrived, left = 0L
  private val top = new TopPriorities(k)

  def append(key: Long): Unit = {
    if (end == keys.length) compact()
    keys(end) = key
    places(end) = arrived
    priorities(end) = random.nextLong()
    end += 1
    arrived += 1
    markStale()
  }

  def expire(elements: Long): Unit = {
    left += elements
    while (head < end && places(head) < left) head += 1
    markStale()
  }

  def count: Long = arrived - left
  def stored: Long = (end - head).toLong
  def sizeBytes: Long =
    Meter.ObjectBytes + sortedBytes + 3 * Meter.longs(keys.length) + top.sizeBytes

  /** Prunes the elements. At least half of the capacity is free afterwards. */
  private def compact(): Unit = {
    prune()
    val kept = end - head
    val length = math.max(Priority.Fewest, 2 * kept)
    if (length > keys.length || 4 * length < keys.length) {
      keys = moved(keys, length)
      places = moved(places, length)
      priorities = moved(priorities, length)
    } else {
      System.arraycopy(keys, head, keys, 0, kept)
      System.arraycopy(places, head, places, 0, kept)
      System.arraycopy(priorities, head, priorities, 0, kept)
    }
    head = 0
    end = kept
  }

  private def moved(array: Array[Long], length: Int): Array[Long] = {
    val to = new Array[Long](length)
    System.arraycopy(array, head, to, 0, end - head)
    to
  }

  /** Removes the elements that have k later ones with higher priorities. Goes from the newest element to the oldest; the
    * remaining ones keep their place at the end of the arrays.
    */
  private def prune(): Unit = {
    top.clear()
    var i = end - 1
    var to = end
    while (i >= head) {
      if (top.offer(priorities(i))) {
        to -= 1
        keys(to) = keys(i)
        places(to) = places(i)
        priorities(to) = priorities(i)
      }
      i -= 1
    }
    head = to
  }

  protected def maxSize: Int = math.min(k, end - head)

  protected def gather(into: Array[Long]): Int = {
    prune()
    val least = top.least
    var size = 0
    var i = head
    while (i < end) {
      // of equal priorities only the newest are among the k highest
      if (priorities(i) >= least && size < into.length) {
        into(size) = keys(i)
        size += 1
      }
      i += 1
    }
    size
  }
}

object Priority extends SampleStructure[Priority]("priority", "priority sample") {
  private val Fewest = 64

  def of(capacity: Long, epsilon: Double, delta: Double, seed: Long): Priority =
    new Priority(FrameSampleSize.within(capacity, epsilon, delta), seed)
}
