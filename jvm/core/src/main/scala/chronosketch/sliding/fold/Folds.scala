package chronosketch.sliding.fold

import java.util.Arrays

import chronosketch.sliding.{Blocks, Frames}

/** What do the elements that a row sees make, joined one after another, where a joint can't be undone?
  *
  * Guarantee  every row's elements are joined in their order; only elements that some row sees together are ever joined; at most
  *            [[Folds.mostAlive]] joints and elements live at a time: 260 where frames have 256 elements, 636 where 100 000, 2 003 where
  *            a million
  * Cost       three merges a row where the longest frame has 256 elements or fewer, beyond that four, and elements are made twice or
  *            three times; a copy where the next row's frame begins at the same element; nothing where a frame is that of the row before
  * Source     Tangwongsan, Hirzel and Schneider, Low-latency sliding-window aggregation in worst-case constant time, 2017, §2 (two
  *            stacks); van Herk 1992; departs: of a long block only every √b-th joint is kept, and those between are made when due
  */
final class Folds[A <: AnyRef] extends Folding[A] {
  // the older block's joints up to the cut: from the first element of each chunk, and from each element of the chunk at hand
  private var chunks, tail = new Array[AnyRef](0)
  private var first, cut, chunkAt = 0
  private var chunk = 1

  private var frames: Frames = _
  private var fold: Fold[A] = _
  private var blocks: Blocks = _
  private var head, seen = none
  private var arrived, firstRow, row = 0

  def begin(frames: Frames, fold: Fold[A]): Unit = beginAt(0, frames, fold)

  /** Begins with this row: those before it are ignored. */
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
      seen = none
      if (blocks.advance(row)) {
        head = none
        arrived = blocks.cut
        turn(from, arrived)
      }
      while (arrived < until) {
        val element = fold.element(arrived)
        head = if (head == null) element else fold.merge(head, element)
        arrived += 1
      }
      if (from == cut) seen = head
      else {
        if (from >= chunkAt + chunk) open((from - first) / chunk, from)
        val older = tail(from - chunkAt).asInstanceOf[A]
        seen =
          if (head == null) older
          else fold.merge(if (isNeeded(row + 1, from)) fold.copy(older) else older, head)
      }
    }
    row += 1
    if (from < until) seen else none
  }

  def at: Int = row

  def end(): Unit = {
    forget()
    head = none
    seen = none
    fold = null
  }

  /** How many joints of the older block there are, for tests. */
  private[chronosketch] def kept: Int = chunks.count(_ != null) + tail.count(_ != null)

  private def none: A = null.asInstanceOf[A]

  private def isNeeded(row: Int, from: Int): Boolean =
    row < frames.rows && frames.from(row) == from

  /** The older block is now what is left of another, from `first` to `cut`. */
  private def turn(first: Int, cut: Int): Unit = {
    forget()
    this.first = first
    this.cut = cut
    chunk = Folds.chunk(cut - first)
    if (chunks.length <= (cut - first) / chunk) chunks = new Array((cut - first) / chunk + 1)
    if (tail.length < math.min(chunk, cut - first)) tail = new Array(math.min(chunk, cut - first))
    var joint = none
    var i = cut - 1
    while (i >= first + chunk) {
      val element = fold.element(i)
      joint = if (joint == null) element else fold.merge(element, joint)
      if ((i - first) % chunk == 0) chunks((i - first) / chunk) = joint
      i -= 1
    }
    open(0, first)
  }

  /** The k-th chunk is at hand, from element `from` on. */
  private def open(k: Int, from: Int): Unit = {
    forgetTail()
    chunkAt = first + k * chunk
    val end = math.min(cut, chunkAt + chunk)
    Arrays.fill(chunks, 0, k + 1, null)
    var joint = if (end < cut) chunks(k + 1).asInstanceOf[A] else none
    var i = end - 1
    while (i >= from) {
      val element = fold.element(i)
      joint = if (joint == null) element else fold.merge(element, joint)
      tail(i - chunkAt) = joint
      i -= 1
    }
  }

  private def forget(): Unit = {
    Arrays.fill(chunks, 0, math.min(chunks.length, (cut - first) / chunk + 1), null)
    forgetTail()
  }

  private def forgetTail(): Unit = Arrays.fill(tail, 0, math.min(chunk, cut - first), null)
}

object Folds {

  /** How many joints and elements live at a time at most, where no frame has more than `longest` elements. */
  def mostAlive(longest: Int): Int =
    math.min(longest, chunk(longest)) + (longest + chunk(longest) - 1) / chunk(longest) + 3

  /** Of how many elements each joint is kept, in a block of so many. */
  private def chunk(elements: Int): Int = math.max(256, math.ceil(math.sqrt(elements.toDouble)).toInt)
}
