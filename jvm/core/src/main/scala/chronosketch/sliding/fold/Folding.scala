package chronosketch.sliding.fold

import java.util.Arrays

import chronosketch.families.Families
import chronosketch.memory.Meter
import chronosketch.sliding.{Blocks, Frames}
import chronosketch.summary.Summary

/** Aggregates the frames of consecutive rows, for elements that can be merged but not removed from an aggregate. */
trait Folding[A <: AnyRef] {

  /** Starts a run of rows. */
  def begin(frames: Frames, fold: Fold[A]): Unit

  /** The aggregate of the next row's frame, null if that is empty. It is valid until the next call and must not be changed. */
  def next(): A

  /** The row that [[next]] will return. */
  def at: Int

  /** Releases everything that belongs to the run. */
  def end(): Unit

  /** How often many aggregates were computed at once. Between two such times the memory changes little. */
  def fills: Long

  /** The memory of all aggregates; `sizeOf` gives that of one.
    *
    * Cost  a look at each aggregate
    */
  def heldBytes(sizeOf: A => Long): Long
}

private[fold] object Folding {

  /** The memory of aggregates in an array that may have empty places. */
  def bytesOf[A <: AnyRef](aggregates: Array[AnyRef], sizeOf: A => Long): Long = {
    var bytes = Meter.references(aggregates.length)
    var i = 0
    while (i < aggregates.length) {
      if (aggregates(i) != null) bytes += sizeOf(aggregates(i).asInstanceOf[A])
      i += 1
    }
    bytes
  }
}

/** The operations that a [[Folding]] needs. Merging is associative. The objects that these methods return share no mutable state.
  */
trait Fold[A <: AnyRef] {

  /** Element i as a new object, which the caller may change. */
  def element(i: Int): A

  /** A copy of a partial aggregate that may be changed when the original must not be. */
  def copy(aggregate: A): A

  /** Merges an aggregate with that of the elements right after it. Returns `older`, changed, or a new object. `newer` stays
    * unchanged.
    */
  def merge(older: A, newer: A): A
}

/** Merges stored sketches: element i has the bytes sketches(i). Sketches that cannot be merged, and bytes that are not a sketch,
  * are rejected with the usual errors.
  */
final class SketchFold(sketches: Int => Array[Byte]) extends Fold[Summary] {
  def element(i: Int): Summary = Families.open(sketches(i))

  def copy(aggregate: Summary): Summary = {
    val copied: Summary = aggregate.newEmpty
    copied.merge(aggregate)
    copied
  }

  def merge(older: Summary, newer: Summary): Summary = Summary.union(older, newer)
}

object SketchFold {

  /** The memory of a union. */
  val sizeOf: Summary => Long = union => {
    val meter = new Meter
    union.meteredBy(meter)
    val bytes = meter.bytes
    union.meteredBy(null) // takes its bytes off the meter
    bytes
  }
}

/** Aggregates every row's frame by merging alone, without inverting merges, with an amortised constant number of merges per
  * row.
  *
  * Guarantee  a row's elements are merged in order; elements are merged only if some frame contains them all; at most
  *            [[TwoStacks.mostAlive]] partial aggregates and elements exist at a time: 260 for frames of 256 elements, 636 for
  *            100 000, 2 003 for a million
  * Cost       three merges per row if the longest frame has at most 256 elements, otherwise four, and elements are created two or
  *            three times; one copy if the next row's frame begins at the same element; nothing if a frame equals the previous
  *            one
  * Source     Tangwongsan, Hirzel and Schneider, Low-latency sliding-window aggregation in worst-case constant time, 2017, §2
  *            (two stacks); van Herk 1992; departs: of a long block only every √b-th aggregate is kept, and those between are
  *            recomputed when needed
  */
final class TwoStacks[A <: AnyRef] extends Folding[A] {
  // aggregates of the older block up to the cut: from the first element of each chunk, and from each element of the current
  // chunk
  private var chunks, tail = new Array[AnyRef](0)
  private var first, cut, chunkAt = 0
  private var chunkSize = 1

  private var frames: Frames = _
  private var fold: Fold[A] = _
  private var blocks: Blocks = _
  private var head, result = none
  private var arrived, firstRow, row = 0
  private var filled = 0L

  def fills: Long = filled

  def begin(frames: Frames, fold: Fold[A]): Unit = beginAt(0, frames, fold)

  /** Starts with the row `first`; earlier rows are ignored. */
  private[fold] def beginAt(first: Int, frames: Frames, fold: Fold[A]): Unit = {
    end()
    this.frames = frames
    this.fold = fold
    blocks = new Blocks(frames, first)
    arrived = 0
    firstRow = first
    row = first
  }

  def next(): A = {
    val from = frames.from(row)
    val until = frames.until(row)
    if (row == firstRow || !frames.isRepeated(row)) {
      result = none
      if (blocks.advance(row)) {
        head = none
        arrived = blocks.cut
        startOlderBlock(from, arrived)
      }
      while (arrived < until) {
        val element = fold.element(arrived)
        head = if (head == null) element else fold.merge(head, element)
        arrived += 1
      }
      if (from == cut) result = head
      else {
        if (from >= chunkAt + chunkSize) openChunk((from - first) / chunkSize, from)
        val older = tail(from - chunkAt).asInstanceOf[A]
        val isReused = row + 1 < frames.rows && frames.from(row + 1) == from
        // later frames begin after this element, and a merged aggregate may have grown
        if (!isReused) tail(from - chunkAt) = null
        result = if (head == null) older else fold.merge(if (isReused) fold.copy(older) else older, head)
      }
    }
    row += 1
    if (from < until) result else none
  }

  def at: Int = row

  def end(): Unit = {
    forget()
    head = none
    result = none
    fold = null
  }

  def heldBytes(sizeOf: A => Long): Long = {
    val others = if (result eq head) Seq(head) else Seq(head, result)
    Folding.bytesOf(chunks, sizeOf) + Folding.bytesOf(tail, sizeOf) +
      others.filter(_ != null).map(sizeOf).sum
  }

  /** Number of aggregates stored for the older block, for tests. */
  private[chronosketch] def storedAggregates: Int = chunks.count(_ != null) + tail.count(_ != null)

  private def none: A = null.asInstanceOf[A]

  /** Starts a new older block: the elements from `first` until `cut`. */
  private def startOlderBlock(first: Int, cut: Int): Unit = {
    forget()
    this.first = first
    this.cut = cut
    chunkSize = TwoStacks.chunkSize(cut - first)
    if (chunks.length <= (cut - first) / chunkSize) chunks = new Array((cut - first) / chunkSize + 1)
    if (tail.length < math.min(chunkSize, cut - first)) tail = new Array(math.min(chunkSize, cut - first))
    var aggregate = none
    var i = cut - 1
    while (i >= first + chunkSize) {
      val element = fold.element(i)
      aggregate = if (aggregate == null) element else fold.merge(element, aggregate)
      if ((i - first) % chunkSize == 0) chunks((i - first) / chunkSize) = aggregate
      i -= 1
    }
    openChunk(0, first)
  }

  /** Makes the k-th chunk the current one, and computes its aggregates from element `from` on. */
  private def openChunk(k: Int, from: Int): Unit = {
    forgetTail()
    filled += 1
    chunkAt = first + k * chunkSize
    val end = math.min(cut, chunkAt + chunkSize)
    Arrays.fill(chunks, 0, k + 1, null)
    var aggregate = if (end < cut) chunks(k + 1).asInstanceOf[A] else none
    var i = end - 1
    while (i >= from) {
      val element = fold.element(i)
      aggregate = if (aggregate == null) element else fold.merge(element, aggregate)
      tail(i - chunkAt) = aggregate
      i -= 1
    }
  }

  private def forget(): Unit = {
    Arrays.fill(chunks, 0, math.min(chunks.length, (cut - first) / chunkSize + 1), null)
    forgetTail()
  }

  private def forgetTail(): Unit = Arrays.fill(tail, 0, math.min(chunkSize, cut - first), null)
}

object TwoStacks {

  /** Largest number of aggregates and elements that exist at a time if no frame has more than `longest` elements. */
  def mostAlive(longest: Int): Int =
    math.min(longest, chunkSize(longest)) + (longest + chunkSize(longest) - 1) / chunkSize(longest) + 3

  /** Chunk size for a block of n elements: one aggregate is kept per chunk. */
  private def chunkSize(elements: Int): Int = math.max(256, math.ceil(math.sqrt(elements.toDouble)).toInt)
}
