package chronosketch.sliding.fold

import chronosketch.sliding.Frames

/** Aggregates every row's frame by merging alone, without inverting merges, with a constant number of merges per element and row
  * even in the worst case.
  *
  * Guarantee  a row's elements are merged in order; at most three merges for an element that arrives, two for one that leaves and
  *            one for a row: no row pays for others
  * Cost       one partial aggregate per element of the longest frame, and two more
  * Source     Tangwongsan, Hirzel and Schneider, In-order sliding-window aggregation in worst-case constant time, VLDB J. 2021,
  *            §6 (DABA Lite)
  *
  * The slots, oldest element first: [first, left) hold aggregates of all elements up to `mid`; [left, right) elements, or
  * aggregates up to the `mid` of an earlier front; [right, turned) elements; [turned, mid) aggregates up to `mid`; [mid, arrived)
  * elements, whose aggregate is `back`. Each step moves `turned` back and `left` forward by one, so that all slots hold
  * aggregates by the time they are needed.
  */
final class Daba[A <: AnyRef] extends Folding[A] {
  private var slots = new Array[AnyRef](1)
  private var mask = 0
  private var first, left, right, turned, mid, arrived = 0

  // what the aggregates before `right` lack; the aggregate of the elements from `mid` on
  private var lacking, back: A = _

  private var frames: Frames = _
  private var fold: Fold[A] = _
  private var result = none
  private var row = 0
  private var filled = 0L

  def begin(frames: Frames, fold: Fold[A]): Unit = {
    end()
    this.frames = frames
    this.fold = fold
    reserve(frames)
    row = 0
  }

  def next(): A = {
    val from = frames.from(row)
    val until = frames.until(row)
    if (row == 0 || from != frames.from(row - 1) || until != frames.until(row - 1)) {
      if (from >= arrived) startAt(from)
      while (first < from) evict()
      while (arrived < until) insert()
      result = aggregate()
    }
    row += 1
    if (from < until) result else none
  }

  def at: Int = row

  // slots fill one by one, not many at once
  def fills: Long = filled

  def heldBytes(sizeOf: A => Long): Long =
    Folding.bytesOf(slots, sizeOf) +
      Seq(lacking, back, result).filter(_ != null).map(sizeOf).sum

  def end(): Unit = {
    startAt(0)
    result = none
    java.util.Arrays.fill(slots, null)
  }

  private def none: A = null.asInstanceOf[A]

  /** Makes room for the longest frame, so that every element has a slot until it leaves. */
  private def reserve(frames: Frames): Unit = {
    var longest = 1
    var row = 0
    while (row < frames.rows) {
      longest = math.max(longest, frames.until(row) - frames.from(row))
      row += 1
    }
    if (slots.length < longest) {
      slots = new Array[AnyRef](Integer.highestOneBit(longest - 1) * 2)
      mask = slots.length - 1
    }
  }

  private def startAt(element: Int): Unit = {
    first = element
    left = element
    right = element
    turned = element
    mid = element
    arrived = element
    lacking = none
    back = none
  }

  private def at(i: Int): A = slots(i & mask).asInstanceOf[A]

  private def merge(older: A, newer: A): A =
    if (newer == null) older else fold.merge(older, newer)

  private def aggregate(): A =
    if (first == mid) back
    else if (back == null) at(first)
    else fold.merge(fold.copy(at(first)), back)

  private def insert(): Unit = {
    val element = fold.element(arrived)
    back = if (back == null) fold.copy(element) else fold.merge(back, element)
    slots(arrived & mask) = element
    arrived += 1
    if (arrived % (slots.length / Daba.FillsAWindow + 1) == 0) filled += 1
    step()
  }

  private def evict(): Unit = {
    slots(first & mask) = null
    first += 1
    step()
  }

  private def step(): Unit = {
    if (left == mid) {
      left = first
      right = mid
      turned = arrived
      mid = arrived
      lacking = back
      back = none
    }
    if (first == mid) {
      lacking = none
      back = none
    } else {
      if (turned != right) {
        val after = if (turned == mid) none else at(turned)
        turned -= 1
        slots(turned & mask) = merge(at(turned), after)
      }
      if (left != right) {
        slots(left & mask) = merge(at(left), lacking)
        left += 1
      } else {
        left += 1
        right += 1
        turned += 1
        lacking = if (turned == mid) none else at(turned)
      }
    }
  }
}

private object Daba {

  /** How often the memory is looked at while a window of elements arrives. */
  val FillsAWindow = 32
}
