package chronosketch.quantile

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.rank.RankProfile
import chronosketch.sort.SortedPair

/** Buffers the inserted values of a sketch that are not yet in its tuples.
  *
  * Guarantee  keeps every value; the first [[sortedCount]] of them are sorted
  * Cost       8 bytes per value; an insert is one store
  * Merge      [[mergeIntoBag]], if both bags are sorted
  *
  * This is the part of a sketch that every insert touches. It is a superclass, not a separate object: if inserts alternate
  * between a thousand sketches, one more object would cost one more cache miss per insert.
  *
  * Sorted values represent tuples of one element each. Such tuples are made only when they are needed: a sketch that is decoded
  * and then encoded or queried needs a third of their memory. A sketch that has tuples has no sorted values in its bag.
  */
private[chronosketch] abstract class Bag {
  protected var bagKeys: Array[Long] = new Array[Long](Bag.Smallest)
  protected var bagSize = 0
  private var sorted = 0

  /** The number of values at the beginning of the bag that are sorted and represent tuples. */
  protected def sortedCount: Int = sorted

  protected def isFull: Boolean = bagSize == bagKeys.length
  protected def bagBytes: Long = Meter.longs(bagKeys.length)

  protected def growBag(most: Int): Unit =
    bagKeys = Arrays.copyOf(bagKeys, math.min(most.toLong, bagKeys.length * 4L).toInt)

  /** Sorts the bag. Returns false if it was sorted already. */
  protected def sortBag(): Boolean = sorted < bagSize && {
    TupleScratch.own.sorting.sort(bagKeys, bagSize)
    sorted = bagSize
    true
  }

  /** Merges n sorted keys into the bag, which must be sorted. It stays sorted. */
  protected def mergeIntoBag(others: Array[Long], n: Int): Unit = {
    val m = bagSize
    val all = new Array[Long](math.max(Bag.Smallest, m + n))
    SortedPair.merge(bagKeys, 0, m, others, 0, n, all, 0)
    bagKeys = all
    bagSize = m + n
    sorted = bagSize
  }

  /** Removes the sorted values from the bag and returns them as tuples. Shrinks the bag's array to `capacity`, or to the remaining
    * values if they are more.
    */
  protected def removeSorted(capacity: Int): Tuples = {
    val tuples = new Tuples
    tuples.reserve(sorted)
    val k = tuples.keys
    val g = tuples.gs
    var o = 0
    var i = 0
    while (i < sorted) {
      if (i > 1 && bagKeys(i) == bagKeys(i - 2)) g(o - 1) += 1
      else {
        k(o) = bagKeys(i)
        g(o) = 1L
        o += 1
      }
      i += 1
    }
    tuples.size = o
    tuples.count = sorted.toLong
    bagSize -= sorted
    val room = math.max(bagSize, math.min(bagKeys.length, capacity))
    val rest = if (room < bagKeys.length) new Array[Long](room) else bagKeys
    System.arraycopy(bagKeys, sorted, rest, 0, bagSize)
    bagKeys = rest
    sorted = 0
    tuples
  }

  /** The profile of the bag, which must be sorted: all ranks are certain. */
  protected def bagProfile: RankProfile = {
    var distinct = 0
    var i = 0
    while (i < bagSize) {
      if (i + 1 == bagSize || bagKeys(i) != bagKeys(i + 1)) distinct += 1
      i += 1
    }
    val k, atMost = new Array[Long](distinct)
    distinct = 0
    i = 0
    while (i < bagSize) {
      if (i + 1 == bagSize || bagKeys(i) != bagKeys(i + 1)) {
        k(distinct) = bagKeys(i)
        atMost(distinct) = i + 1L
        distinct += 1
      }
      i += 1
    }
    RankProfile.certain(distinct, k, atMost, atMost, bagSize.toLong)
  }
}

private[quantile] object Bag {
  final val Smallest = 8
}
