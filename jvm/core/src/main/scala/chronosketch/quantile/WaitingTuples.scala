package chronosketch.quantile

import java.util.Arrays

import chronosketch.memory.Meter

/** Which sketches were merged in that the tuples do not tell of yet?
  *
  * Guarantee  the union of their lists of tuples, with every tuple of each
  * Cost       a copy of a tuple when it comes, and log₂(lists) steps when all are united: apart from each other they would each be
  *            a pass over all tuples of the sketch
  * Merge      [[addAll]]
  */
private[chronosketch] final class WaitingTuples extends TupleArrays {
  private var ends = new Array[Int](WaitingTuples.FewestLists)
  private var lists = 0
  private var elements = 0L
  private var anyThinned = false

  // whether what they were united with was thinned only until the others that were to come had come
  private var isPassing = false

  def isEmpty: Boolean = lists == 0

  /** The elements that they stand for. */
  def count: Long = elements

  /** How many lists there are. */
  def size: Int = lists

  /** How many tuples all of them have. */
  def tuples: Int = if (lists == 0) 0 else ends(lists - 1)

  def sizeBytes: Long = 3 * Meter.longs(keys.length) + Meter.ints(ends.length)

  /** Takes the tuples of one more in; true where there was no room for them and had to be made. */
  def add(that: Tuples): Boolean = {
    val isGrown = grow(that.size, 1)
    copyFrom(that, 0, tuples, that.size)
    val end = tuples + that.size
    ends(lists) = end
    lists += 1
    elements += that.count
    anyThinned |= that.isThinned
    isGrown
  }

  /** Takes in all that waits elsewhere, and stays there; true as in [[add]]. */
  def addAll(that: WaitingTuples): Boolean = {
    val isGrown = grow(that.tuples, that.lists)
    val start = tuples
    copyFrom(that, 0, start, that.tuples)
    var i = 0
    while (i < that.lists) { ends(lists + i) = start + that.ends(i); i += 1 }
    lists += that.lists
    elements += that.elements
    anyThinned |= that.anyThinned
    isGrown
  }

  private def grow(more: Int, moreLists: Int): Boolean = {
    val wanted = tuples.toLong + more
    TupleScratch.requireRoom(wanted)
    val isShort = wanted > keys.length
    if (isShort) {
      val room = math.min(TupleScratch.MostTuples.toLong, math.max(wanted, 2L * keys.length)).toInt
      keys = Arrays.copyOf(keys, room)
      gs = Arrays.copyOf(gs, room)
      deltas = Arrays.copyOf(deltas, room)
    }
    val isCrowded = lists + moreLists > ends.length
    if (isCrowded) ends = Arrays.copyOf(ends, math.max(lists + moreLists, 2 * ends.length))
    isShort || isCrowded
  }

  /** All of it as one list, for which there is room in `spare`, too; then nothing waits. It lives until the next call of either. */
  def drain(spare: Tuples): Tuples = {
    var isHere = true
    while (lists > 1) {
      if (isHere) spare.reserve(tuples)
      lists = if (isHere) spare.unitePairs(this, ends, lists) else unitePairs(spare, ends, lists)
      isHere = !isHere
    }
    if (isHere) spare.copyOf(this, tuples)
    spare.size = tuples
    spare.count = elements
    spare.isThinned = anyThinned
    lists = 0
    elements = 0L
    anyThinned = false
    spare
  }

  /** Thins what they were united with, as far as [[MergeLimit]] has it; true where it did. `isLast`: none is known to come. */
  def thin(union: TupleScratch, epsilon: Double, count: Long, isLast: Boolean): Boolean =
    if (isLast) MergeLimit.thinAtLast(union, epsilon, count, isPassing)
    else {
      val isThinner = MergeLimit.thinOnTheWay(union, epsilon, count)
      isPassing |= isThinner
      isThinner
    }
}

private[quantile] object WaitingTuples {
  private val FewestLists = 8
}
