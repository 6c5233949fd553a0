package chronosketch.sliding.sampled

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.sample.TopPriorities

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
