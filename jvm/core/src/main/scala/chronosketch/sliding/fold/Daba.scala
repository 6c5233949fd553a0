package chronosketch.sliding.fold

import chronosketch.sliding.Frames

/** What do the elements that a row sees make, joined one after another, where a joint can't be undone, and no row may wait long?
  *
  * Guarantee  every row's elements are joined in their order; three merges at most for an element that comes, two for one that goes,
  *            one for a row: no row pays for others
  * Cost       a joint an element of the longest frame, and two more
  * Source     Tangwongsan, Hirzel and Schneider, In-order sliding-window aggregation in worst-case constant time, VLDB J. 2021, §6
  *            (DABA Lite)
  *
  * The elements in the order in which they came: joints with all that follow up to `mid`, [first, left); elements, or their joints
  * up to `mid` of a front that was, [left, right); elements [right, turned); joints up to `mid` [turned, mid); elements
  * [mid, arrived), joined in `back`. A step a row more brings `turned` back and `left` on, so that all are joints when they are needed.
  */
final class Daba[A <: AnyRef] extends Folding[A] {
  private var slots = new Array[AnyRef](1)
  private var mask = 0
  private var first, left, right, turned, mid, arrived = 0

  // of what the joints before `right` lack; of the elements from `mid` on
  private var lacking, back: A = _

  private var frames: Frames = _
  private var fold: Fold[A] = _
  private var seen = none
  private var row = 0

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
      seen = joint()
    }
    row += 1
    if (from < until) seen else none
  }

  def at: Int = row

  def end(): Unit = {
    startAt(0)
    seen = none
    java.util.Arrays.fill(slots, null)
  }

  private def none: A = null.asInstanceOf[A]

  /** An element has a place until the longest frame is over. */
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

  private def joined(older: A, newer: A): A =
    if (newer == null) older else fold.merge(older, newer)

  private def joint(): A =
    if (first == mid) back
    else if (back == null) at(first)
    else fold.merge(fold.copy(at(first)), back)

  private def insert(): Unit = {
    val element = fold.element(arrived)
    back = if (back == null) fold.copy(element) else fold.merge(back, element)
    slots(arrived & mask) = element
    arrived += 1
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
        slots(turned & mask) = joined(at(turned), after)
      }
      if (left != right) {
        slots(left & mask) = joined(at(left), lacking)
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
