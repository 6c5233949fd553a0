package chronosketch.quantile

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.sort.PairSort

/** Holds the elements of a sketch that are not in its bag. */
private[quantile] sealed abstract class SketchState {

  /** The number of elements. */
  def count: Long

  def sizeBytes: Long

  /** The most values that the bag may hold. */
  def bagCapacity(tolerance: Tolerance): Int
}

/** Holds nothing: all elements are in the bag. */
private[quantile] case object BagOnly extends SketchState {
  def count: Long = 0L
  def sizeBytes: Long = 0L
  def bagCapacity(tolerance: Tolerance): Int = BagLimit.first(tolerance)
}

/** Holds tuples, and the elements that wait to be moved into them.
  *
  * Guarantee  every element is in exactly one place: the tuples, [[HeavyCopies]] for values with many copies, [[CellCounts]] for
  *            values that are only counted, and [[WaitingTuples]] for merged sketches. [[flush]] moves all of them into the tuples
  * Cost       a flush: a pass over the tuples for each place that is not empty
  */
private[quantile] final class Summarised extends SketchState {
  val tuples = new Tuples
  private val heavy = new HeavyCopies

  // null while values are not counted in cells
  private var cells: CellCounts = null

  // cells are tried again when the tuples have this many values
  private var retryCellsAt = 0L

  // the number of values at the beginning of the bag that are outside of the cells' range
  private var outside = 0

  // null unless sketches have been merged since the last flush
  private var waiting: WaitingTuples = null

  def count: Long =
    tuples.count + heavy.count + (if (cells == null) 0L else cells.count) +
      (if (waiting == null) 0L else waiting.count)

  def sizeBytes: Long =
    tuples.sizeBytes + heavy.sizeBytes + (if (cells == null) 0L else cells.sizeBytes) +
      (if (waiting == null) 0L else waiting.sizeBytes)

  def bagCapacity(tolerance: Tolerance): Int = BagLimit.capacity(tolerance, tuples)

  /** Makes the first tuples, from n values. */
  def summarise(keys: Array[Long], n: Int, tolerance: Tolerance, scratch: Scratch): Unit = {
    outside = 0
    tuples.take(tolerance.firstSummary(keys, n, scratch))
  }

  /** Moves n values into the tuples. The array may be overwritten. If tuples may be dropped and the values are many, they are
    * summarised by themselves first.
    */
  def insert(keys: Array[Long], n: Int, tolerance: Tolerance, scratch: Scratch): Unit = {
    outside = 0
    val added = if (tuples.isThinned) tolerance.laterSummary(keys, n, scratch) else null
    if (added != null) {
      scratch.united.combine(tuples, added)
      replace(scratch.united, n.toLong, tolerance, added.keys, added.size)
    } else {
      scratch.sorter.sort(keys, n)
      scratch.united.insert(tuples, keys, n)
      replace(scratch.united, n.toLong, tolerance, keys, n)
    }
  }

  /** Replaces the tuples by a union that has `more` elements than they have, and drops as many as inserting allows. Those in dense
    * gaps of the first n sorted `inserted` values stay.
    */
  private def replace(
      union: UnitedTuples,
      more: Long,
      tolerance: Tolerance,
      inserted: Array[Long] = Array.emptyLongArray,
      n: Int = 0
  ): Unit = {
    tuples.count += more
    // 2/ε tuples all stay, so 1/ε distinct keys are exact, however often and in whatever order each is inserted
    if (union.length > 2 / tolerance.epsilon) tuples.isThinned = true
    if (tuples.isThinned) {
      // half of the limit while merging
      val limit = tolerance.insertLimit(tuples.count)
      tolerance.thinning(union).drop(limit, DenseGaps.find(tuples, inserted, n))
      // if merges have used more than this limit, nothing can be dropped within it for a while
      if (
        mayUseMore(tolerance) && MergeLimit.isLarge(
          union,
          tolerance,
          tuples.count
        ) && tolerance.thinning(union).largest > limit
      )
        MergeLimit.WhileMerging.thin(union, tolerance, tuples.count)
    }
    tuples.assign(union)
  }

  /** Whether tuples may be dropped beyond the limit of inserts. */
  private def mayUseMore(tolerance: Tolerance): Boolean = cells == null || !tolerance.isSharedWithCells

  /** Counts the n values of a full bag in cells, if that pays off. Returns the number of values that stay in the bag. */
  def countInCells(keys: Array[Long], n: Int, tolerance: Tolerance, scratch: Scratch): Int = {
    val mayCount = cells == null && tuples.count >= retryCellsAt
    if (mayCount && CellCounts.isWorthwhile(tolerance, tuples, n)) {
      cells = tolerance.cells(tuples, keys, n)
      if (cells == null) postponeCells()
    }
    if (cells == null) n
    else {
      val uncounted = n - outside
      val more = cells.add(keys, outside, n, scratch.outside(uncounted))
      val left = if (more < 0) n else outside + more
      if (more < 0 || more > uncounted / 2) {
        abandonCells(tolerance, scratch)
        left
      } else if (left > keys.length / 2) {
        insert(keys, left, tolerance, scratch)
        0
      } else {
        outside = left
        left
      }
    }
  }

  /** Flushes the cells. New ones may be made at once if these had counted more than half of all values; otherwise trying often
    * would cost too much.
    */
  private def abandonCells(tolerance: Tolerance, scratch: Scratch): Unit = {
    val counted = cells.count
    flushCells(tolerance, scratch)
    if (counted <= tuples.count / 2) postponeCells()
  }

  private def postponeCells(): Unit = retryCellsAt = 4 * tuples.count

  /** Whether [[growHeavy]] must be called before [[insertHeavy]]. */
  def isHeavyFull: Boolean = heavy.isFull

  /** Whether [[growHeavy]] would exceed the capacity, so that a flush has to make room. */
  def isHeavyAtCapacity(tolerance: Tolerance): Boolean = heavy.capacity >= bagCapacity(tolerance)

  def growHeavy(tolerance: Tolerance): Unit = heavy.grow(bagCapacity(tolerance))

  /** Inserts copies of a value. There must be room for one more value. */
  def insertHeavy(key: Long, copies: Long): Unit = heavy.add(key, copies)

  /** Adds the tuples of a sketch to those that wait. */
  def addWaiting(that: Tuples): Unit = waitingTuples.add(that)

  /** Adds the tuples that wait in another sketch, which must be merging, to those that wait. */
  def addWaiting(that: Summarised): Unit = waitingTuples.addAll(that.waiting)

  private def waitingTuples: WaitingTuples = {
    if (waiting == null) waiting = new WaitingTuples
    waiting
  }

  /** Whether sketches have been merged since the last flush. */
  def isMerging: Boolean = waiting != null

  /** Whether more tuples wait than should. */
  def isWaitingFull(tolerance: Tolerance): Boolean =
    isMerging && waiting.tuples > tolerance.mostWaiting(waiting.count)

  /** Whether a flush has anything to do. */
  def hasPending: Boolean = cells != null || !heavy.isEmpty || isMerging

  /** Moves everything that waits into the tuples. */
  def flush(tolerance: Tolerance, scratch: Scratch): Unit = {
    flushInserted(tolerance, scratch)
    if (isMerging) uniteWaiting(MergeLimit.Finished, tolerance, scratch)
  }

  /** Moves everything that was inserted into the tuples. Those of merged sketches still wait. */
  def flushInserted(tolerance: Tolerance, scratch: Scratch): Unit = {
    flushCells(tolerance, scratch)
    flushHeavy(tolerance, scratch)
  }

  private def flushCells(tolerance: Tolerance, scratch: Scratch): Unit = if (cells != null) {
    val flushed = cells
    cells = null
    // the values outside of the range stay in the bag
    outside = 0
    if (flushed.count > 0) {
      scratch.united.combineWithin(tuples, flushed.tuples, flushed.least)
      replace(scratch.united, flushed.count, tolerance)
    }
  }

  def flushHeavy(tolerance: Tolerance, scratch: Scratch): Unit = if (!heavy.isEmpty) {
    val drained = heavy.drain()
    scratch.united.combine(tuples, drained)
    replace(scratch.united, drained.count, tolerance)
  }

  /** Unites the waiting tuples with the others, and drops tuples if a limit is exceeded. */
  def uniteWaiting(limit: MergeLimit, tolerance: Tolerance, scratch: Scratch): Unit = {
    if (!mayUseMore(tolerance)) flushCells(tolerance, scratch)
    val isOnlyList = tuples.isEmpty && waiting.size == 1
    val drained = waiting.drain(scratch.drained)
    val union = scratch.united
    union.combine(tuples, drained)
    tuples.count += drained.count
    tuples.isThinned |= drained.isThinned
    drained.trim()
    if (!isOnlyList && limit.isExceeded(union, tolerance, tuples.count, waiting.wasThinned)) {
      limit.thin(union, tolerance, tuples.count)
      tuples.isThinned = true
      waiting.wasThinned = true
    }
    tuples.assign(union)
    if (limit.isFinal) waiting = null
  }

  /** Thins the tuples as far as a stored union may be. Nothing may be pending. */
  def compact(tolerance: Tolerance, scratch: Scratch): Unit = if (tuples.size > 2 / tolerance.epsilon) {
    val union = scratch.united
    union.combine(tuples, new Tuples)
    MergeLimit.compact(union, tolerance, tuples.count)
    tuples.isThinned = true
    tuples.assign(union)
  }
}

/** Buffers inserted values that have many copies, with their counts, until they are moved into tuples. The bag would store each
  * copy.
  */
private[chronosketch] final class HeavyCopies {
  private var keys, copies = Array.emptyLongArray
  private var size = 0
  private var total = 0L

  def count: Long = total
  def isEmpty: Boolean = total == 0
  def isFull: Boolean = size == keys.length
  def capacity: Int = keys.length
  def sizeBytes: Long = 2 * Meter.longs(keys.length)

  /** Makes room for more values, but at most for `most`. */
  def grow(most: Int): Unit = {
    val room = math.min(most.toLong, math.max(BagLimit.Smallest.toLong, keys.length * 4L)).toInt
    keys = Arrays.copyOf(keys, room)
    copies = Arrays.copyOf(copies, room)
  }

  def add(key: Long, count: Long): Unit = {
    keys(size) = key
    copies(size) = count
    size += 1
    total += count
  }

  /** Removes all values and returns them as exact tuples. */
  def drain(): Tuples = {
    new PairSort().sort(keys, copies, size)
    val tuples = new Tuples
    tuples.reserve(2 * size)
    var i = 0
    while (i < size) {
      val key = keys(i)
      var weight = 0L
      while (i < size && keys(i) == key) { weight += copies(i); i += 1 }
      tuples.append(key, weight)
    }
    tuples.count = total
    size = 0
    total = 0L
    tuples
  }
}

/** Decides how many values a sketch's bag holds before they are summarised. Any number keeps the error bound.
  *
  * Cost  8 bytes per value. Many values at once need no sort ([[KeyBlocks]]) and leave fewer tuples
  */
private[quantile] object BagLimit {

  /** The capacity of an empty bag. */
  val Smallest = 8

  /** Summarising more than a million values at once gains nothing. */
  private val Most = 1 << 20

  /** The first summary is made of FirstFactor units of values ([[Tolerance.unit]]), so that a task that brings a few thousand rows to each group makes no
    * second one.
    */
  private val FirstFactor = 16

  /** A later summary is made of half the number of values in the tuples, up to LastFactor units. The fewer summaries are united, the less
    * time a value takes. Half of the values keeps the memory in proportion to the data.
    */
  private val LastFactor = 64

  /** The capacity of the bag of a sketch without tuples. */
  def first(tolerance: Tolerance): Int =
    if (tolerance.epsilon == 0.0) exactCapacity(0.0, 0) else thinnedCapacity(FirstFactor, tolerance)

  /** The capacity of the bag of a sketch that has these tuples. */
  def capacity(tolerance: Tolerance, tuples: Tuples): Int =
    if (tuples.isEmpty) first(tolerance)
    else if (tolerance.epsilon == 0.0 || !tuples.isThinned) exactCapacity(tolerance.epsilon, tuples.size)
    else {
      var factor = FirstFactor
      while (factor < LastFactor && 2 * (2 * factor) * tolerance.unit <= tuples.count) factor *= 2
      thinnedCapacity(factor, tolerance)
    }

  private def thinnedCapacity(factor: Int, tolerance: Tolerance): Int =
    math.max(256, math.min(factor * tolerance.unit, Most.toDouble).toInt)

  /** The capacity if no tuple may be dropped yet: at least half the number of tuples. Each flush is a pass over all tuples, so a
    * value then costs only a few tuples of that pass, even if there are many.
    */
  def exactCapacity(epsilon: Double, size: Int): Int =
    if (epsilon == 0.0) math.max(1024, math.min(size, TupleArrays.MostTuples / 2))
    else {
      var values = math.max(256, math.min(Most.toDouble, 2.0 / epsilon).toInt)
      while (values < size / 2) values *= 2
      values
    }

  /** The most elements that a sketch may keep in a sorted bag without tuples: as many as the tuples that a merge leaves. */
  def mostWithoutTuples(epsilon: Double): Int = math.min(8 / epsilon, Most.toDouble).toInt
}
