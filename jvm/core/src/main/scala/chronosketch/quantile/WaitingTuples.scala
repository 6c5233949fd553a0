package chronosketch.quantile

import java.util.Arrays

import chronosketch.memory.Meter

/** Keeps the tuples of merged sketches until they are united with those of the sketch.
  *
  * Guarantee  [[drain]] returns the union of all lists, with every tuple of each
  * Cost       one copy of each added tuple, and log₂(lists) steps per tuple when all are united. Uniting each list at once would
  *            take a pass over all tuples of the sketch for each
  * Merge      [[addAll]]
  */
private[chronosketch] final class WaitingTuples extends TupleArrays {
  private var ends = new Array[Int](WaitingTuples.FewestLists)
  private var lists = 0
  private var elements = 0L
  private var anyThinned = false

  // whether a union was thinned while merging, that is, not as far as a finished one
  private var wasThinnedWhileMerging = false

  def isEmpty: Boolean = lists == 0

  /** The number of elements that the tuples represent. */
  def count: Long = elements

  /** The number of lists. */
  def size: Int = lists

  /** The number of tuples in all lists. */
  def tuples: Int = if (lists == 0) 0 else ends(lists - 1)

  def sizeBytes: Long = 3 * Meter.longs(keys.length) + Meter.ints(ends.length)

  /** Adds a list of tuples. Returns whether the arrays had to grow. */
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

  /** Adds all lists of another, which keeps them. Returns whether the arrays had to grow. */
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

  /** Removes all lists and returns their union. It is in the arrays of `spare`, and valid until these are used again. */
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

  /** Thins the union of the drained lists with the sketch's own tuples, if [[MergeLimit]] demands it. Returns whether it did. `isLast`:
    * more merges are not expected.
    */
  def thin(union: TupleScratch, epsilon: Double, count: Long, isLast: Boolean): Boolean =
    if (isLast) MergeLimit.thinWhenFinished(union, epsilon, count, wasThinnedWhileMerging)
    else {
      val isThinned = MergeLimit.thinWhileMerging(union, epsilon, count)
      wasThinnedWhileMerging |= isThinned
      isThinned
    }
}

private[quantile] object WaitingTuples {
  private val FewestLists = 8
}
