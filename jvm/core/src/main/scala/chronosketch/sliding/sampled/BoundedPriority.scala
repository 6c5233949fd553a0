package chronosketch.sliding.sampled

import java.util.{Arrays, SplittableRandom}

import chronosketch.memory.Meter
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

/** Stores at most k elements with their priorities, and finds the one with the least priority and the oldest one.
  *
  * Cost  O(log k) to add or remove an element; 40 bytes per element, and as much again of spare capacity, up to k
  *
  * Each element has a slot. A heap of slots has the least priority at its root; a linked list runs through the slots from the
  * oldest element to the newest.
  */
private[sampled] final class Candidates(k: Int) {
  private var keys, places, priorities = Array.emptyLongArray

  // after the heap's elements, the array `heap` lists the free slots
  private var heap, atInHeap, newer, older = Array.emptyIntArray
  private var first, last = -1

  var size = 0

  def isFull: Boolean = size == k
  def leastPriority: Long = priorities(heap(0))
  def oldestPlace: Long = places(first)
  def oldestPriority: Long = priorities(first)

  /** Adds an element; there must be room for it. Places must increase. */
  def add(key: Long, place: Long, priority: Long): Unit = {
    if (size == heap.length) grow()
    val slot = heap(size)
    keys(slot) = key
    places(slot) = place
    priorities(slot) = priority
    newer(slot) = -1
    older(slot) = last
    if (last >= 0) newer(last) = slot else first = slot
    last = slot
    size += 1
    rise(size - 1, slot)
  }

  private def grow(): Unit = {
    val room = math.min(k.toLong, math.max(16L, 2L * size)).toInt
    keys = Arrays.copyOf(keys, room)
    places = Arrays.copyOf(places, room)
    priorities = Arrays.copyOf(priorities, room)
    heap = Arrays.copyOf(heap, room)
    atInHeap = Arrays.copyOf(atInHeap, room)
    newer = Arrays.copyOf(newer, room)
    older = Arrays.copyOf(older, room)
    var slot = size
    while (slot < room) { heap(slot) = slot; slot += 1 }
  }

  def removeLeast(): Unit = remove(heap(0))
  def removeOldest(): Unit = remove(first)

  private def remove(slot: Int): Unit = {
    val (before, after) = (older(slot), newer(slot))
    if (before >= 0) newer(before) = after else first = after
    if (after >= 0) older(after) = before else last = before
    val at = atInHeap(slot)
    size -= 1
    val moved = heap(size)
    heap(size) = slot
    if (moved != slot) {
      if (at > 0 && priorities(heap((at - 1) >>> 1)) > priorities(moved)) rise(at, moved) else sink(at, moved)
    }
  }

  private def put(at: Int, slot: Int): Unit = {
    heap(at) = slot
    atInHeap(slot) = at
  }

  private def rise(from: Int, slot: Int): Unit = {
    var at = from
    while (at > 0 && priorities(heap((at - 1) >>> 1)) > priorities(slot)) {
      put(at, heap((at - 1) >>> 1))
      at = (at - 1) >>> 1
    }
    put(at, slot)
  }

  private def sink(from: Int, slot: Int): Unit = {
    var at = from
    var child = 2 * at + 1
    while (child < size) {
      if (child + 1 < size && priorities(heap(child + 1)) < priorities(heap(child))) child += 1
      if (priorities(heap(child)) < priorities(slot)) {
        put(at, heap(child))
        at = child
        child = 2 * at + 1
      } else child = k
    }
    put(at, slot)
  }

  def offerTo(top: TopPriorities): Unit = {
    var i = 0
    while (i < size) { top.offer(priorities(heap(i))); i += 1 }
  }

  /** Writes the keys of the elements whose priority is at least `least`. Returns their number. */
  def copyAbove(least: Long, into: Array[Long]): Int = {
    var n = 0
    var i = 0
    while (i < size) {
      val slot = heap(i)
      if (priorities(slot) >= least) {
        into(n) = keys(slot)
        n += 1
      }
      i += 1
    }
    n
  }

  def sizeBytes: Long = Meter.ObjectBytes + 3 * Meter.longs(keys.length) + 4 * Meter.ints(heap.length)
}
