package chronosketch.quantile

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.rank.RankProfile

/** Which values came that no tuple has yet?
  *
  * Guarantee  every value is kept; the first [[settled]] of them are in order
  * Cost       8 bytes a value; an insert is a store
  * Merge      [[join]], of bags that are settled
  *
  * The settled ones stand for tuples of one element each, which are made only when they are needed: a bag that goes from bytes to
  * bytes, or to an answer, takes a third of the room. Where there are tuples, none is settled.
  */
private[chronosketch] final class Bag {
  var keys: Array[Long] = new Array[Long](Bag.Smallest)
  var size = 0
  private var inOrder = 0

  /** How many of the first are in order, and stand for tuples. */
  def settled: Int = inOrder

  def isFull: Boolean = size == keys.length
  def sizeBytes: Long = Meter.longs(keys.length)

  def grow(most: Int): Unit = keys = Arrays.copyOf(keys, math.min(most.toLong, keys.length * 4L).toInt)

  /** Brings all of it in order; false where it was. */
  def settle(): Boolean = inOrder < size && {
    TupleScratch.own.sorting.sort(keys, size)
    inOrder = size
    true
  }

  /** Both bags are settled; so is what comes out. */
  def join(others: Array[Long], n: Int): Unit = {
    val held = keys
    val m = size
    val all = new Array[Long](math.max(Bag.Smallest, m + n))
    var i, j, o = 0
    while (i < m && j < n) {
      val ours = held(i)
      val theirs = others(j)
      // a coin toss: computed, not branched on
      val fromHeld = if (ours <= theirs) 1 else 0
      all(o) = math.min(ours, theirs)
      i += fromHeld
      j += 1 - fromHeld
      o += 1
    }
    System.arraycopy(held, i, all, o, m - i)
    System.arraycopy(others, j, all, o + m - i, n - j)
    keys = all
    size = m + n
    inOrder = size
  }

  /** The settled ones as tuples, which leave the bag; of what is left, no more room is kept than `capacity` or it needs. */
  def unsettle(capacity: Int): Tuples = {
    val tuples = new Tuples
    tuples.reserve(inOrder)
    val k = tuples.keys
    val g = tuples.gs
    var o = 0
    var i = 0
    while (i < inOrder) {
      if (i > 1 && keys(i) == keys(i - 2)) g(o - 1) += 1
      else {
        k(o) = keys(i)
        g(o) = 1L
        o += 1
      }
      i += 1
    }
    tuples.size = o
    tuples.count = inOrder.toLong
    size -= inOrder
    val room = math.max(size, math.min(keys.length, capacity))
    val rest = if (room < keys.length) new Array[Long](room) else keys
    System.arraycopy(keys, inOrder, rest, 0, size)
    keys = rest
    inOrder = 0
    tuples
  }

  /** Of a settled bag: ranks are certain. */
  def profile: RankProfile = {
    var distinct = 0
    var i = 0
    while (i < size) {
      if (i + 1 == size || keys(i) != keys(i + 1)) distinct += 1
      i += 1
    }
    val k, atMost = new Array[Long](distinct)
    distinct = 0
    i = 0
    while (i < size) {
      if (i + 1 == size || keys(i) != keys(i + 1)) {
        k(distinct) = keys(i)
        atMost(distinct) = i + 1L
        distinct += 1
      }
      i += 1
    }
    RankProfile.certain(distinct, k, atMost, atMost, size.toLong)
  }
}

private[quantile] object Bag {
  final val Smallest = 8

  /** How many tuples tell n keys in order: two of each key at most. */
  def tuplesOf(keys: Array[Long], n: Int): Int = {
    var tuples = math.min(n, 2)
    var i = 2
    while (i < n) { if (keys(i) != keys(i - 2)) tuples += 1; i += 1 }
    tuples
  }
}
