package chronosketch.quantile

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.rank.RankProfile
import chronosketch.sort.SortedPair

/** Which values came that no tuple has yet?
  *
  * Guarantee  every value is kept; the first [[settled]] of them are in order
  * Cost       8 bytes a value; an insert is a store
  * Merge      [[joinBag]], of bags that are settled
  *
  * It is the part of a sketch that inserts touch, so it is a superclass and not an object of its own: of a thousand sketches in
  * turn, one object more is one cache miss more an insert.
  *
  * The settled ones stand for tuples of one element each, which are made only when they are needed: a bag that goes from bytes to
  * bytes, or to an answer, takes a third of the room. Where there are tuples, none is settled.
  */
private[chronosketch] abstract class Bag {
  protected var bagKeys: Array[Long] = new Array[Long](Bag.Smallest)
  protected var bagSize = 0
  private var inOrder = 0

  /** How many of the first are in order, and stand for tuples. */
  protected def settled: Int = inOrder

  protected def isFull: Boolean = bagSize == bagKeys.length
  protected def bagBytes: Long = Meter.longs(bagKeys.length)

  protected def growBag(most: Int): Unit =
    bagKeys = Arrays.copyOf(bagKeys, math.min(most.toLong, bagKeys.length * 4L).toInt)

  /** Brings all of it in order; false where it was. */
  protected def settleBag(): Boolean = inOrder < bagSize && {
    TupleScratch.own.sorting.sort(bagKeys, bagSize)
    inOrder = bagSize
    true
  }

  /** Both bags are settled; so is what comes out. */
  protected def joinBag(others: Array[Long], n: Int): Unit = {
    val m = bagSize
    val all = new Array[Long](math.max(Bag.Smallest, m + n))
    SortedPair.merge(bagKeys, 0, m, others, 0, n, all, 0)
    bagKeys = all
    bagSize = m + n
    inOrder = bagSize
  }

  /** The settled ones as tuples, which leave the bag; of what is left, no more room is kept than `capacity` or it needs. */
  protected def unsettleBag(capacity: Int): Tuples = {
    val tuples = new Tuples
    tuples.reserve(inOrder)
    val k = tuples.keys
    val g = tuples.gs
    var o = 0
    var i = 0
    while (i < inOrder) {
      if (i > 1 && bagKeys(i) == bagKeys(i - 2)) g(o - 1) += 1
      else {
        k(o) = bagKeys(i)
        g(o) = 1L
        o += 1
      }
      i += 1
    }
    tuples.size = o
    tuples.count = inOrder.toLong
    bagSize -= inOrder
    val room = math.max(bagSize, math.min(bagKeys.length, capacity))
    val rest = if (room < bagKeys.length) new Array[Long](room) else bagKeys
    System.arraycopy(bagKeys, inOrder, rest, 0, bagSize)
    bagKeys = rest
    inOrder = 0
    tuples
  }

  /** Of a settled bag: ranks are certain. */
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
