package chronosketch.sliding.fold

import chronosketch.sliding.{Blocks, Frames, WorkArrays}

/** Finds the least or the greatest key of every row's frame, and the element that has it.
  *
  * Guarantee  exact. Among equal keys the newest element is returned, as in Spark's max_by and min_by, where a row with an equal
  *            ordering value replaces the current one. (They skip rows whose ordering value is NULL, so these are not elements.
  *            If the value of the row found is NULL, they return NULL.)
  * Cost       one comparison per element that arrives, another when its block becomes the older one, and one per row, whatever
  *            the frames; work arrays as long as the longest frame
  * Source     van Herk 1992, Gil and Werman 1993; departs: frames and blocks as in [[Blocks]]
  *
  * The least key is the complement of the greatest complement: `flip` is 0 or −1.
  */
final class FrameExtremes {
  // tail(i) covers the older block's elements from first + i to its end
  private var tail = new Array[Long](0)
  private var tailAt = new Array[Int](0)

  def least(keys: Array[Long], frames: Frames, out: Array[Long]): Unit = slide(keys, frames, -1L, out)

  def greatest(keys: Array[Long], frames: Frames, out: Array[Long]): Unit = slide(keys, frames, 0L, out)

  def leastAt(keys: Array[Long], frames: Frames, out: Array[Int]): Unit = slideAt(keys, frames, -1L, out)

  def greatestAt(keys: Array[Long], frames: Frames, out: Array[Int]): Unit = slideAt(keys, frames, 0L, out)

  private def slide(keys: Array[Long], frames: Frames, flip: Long, out: Array[Long]): Unit = {
    val blocks = new Blocks(frames)
    val (from, until, rows) = (frames.from, frames.until, frames.rows)
    var tail = this.tail
    var first = 0
    var arrived = 0
    var head = Long.MinValue
    var row = 0
    while (row < rows) {
      if (blocks.advance(row)) {
        first = from(row)
        arrived = blocks.cut
        tail = tailOf(keys, first, arrived, flip)
        head = Long.MinValue
      }
      val end = until(row)
      while (arrived < end) {
        head = math.max(head, keys(arrived) ^ flip)
        arrived += 1
      }
      out(row) = math.max(tail(from(row) - first), head) ^ flip
      row += 1
    }
  }

  private def tailOf(keys: Array[Long], first: Int, cut: Int, flip: Long): Array[Long] = {
    tail = WorkArrays.atLeast(tail, cut - first + 1)
    val into = tail
    var greatest = Long.MinValue
    into(cut - first) = greatest
    var i = cut - 1
    while (i >= first) {
      greatest = math.max(greatest, keys(i) ^ flip)
      into(i - first) = greatest
      i -= 1
    }
    into
  }

  private def slideAt(keys: Array[Long], frames: Frames, flip: Long, out: Array[Int]): Unit = {
    val blocks = new Blocks(frames)
    val (from, until, rows) = (frames.from, frames.until, frames.rows)
    var first = 0
    var cut = 0
    var arrived = 0
    var head = Long.MinValue
    var headAt = 0
    var row = 0
    while (row < rows) {
      if (blocks.advance(row)) {
        first = from(row)
        cut = blocks.cut
        fillTailAt(keys, first, cut, flip)
        head = Long.MinValue
        arrived = cut
      }
      val end = until(row)
      while (arrived < end) {
        val key = keys(arrived) ^ flip
        if (key >= head) { head = key; headAt = arrived }
        arrived += 1
      }
      val at = from(row)
      out(row) = if (at < cut && (cut == end || tail(at - first) > head)) tailAt(at - first) else headAt
      row += 1
    }
  }

  private def fillTailAt(keys: Array[Long], first: Int, cut: Int, flip: Long): Unit = {
    tail = WorkArrays.atLeast(tail, cut - first)
    tailAt = WorkArrays.atLeast(tailAt, cut - first)
    var greatestAt = cut - 1
    var i = cut - 1
    while (i >= first) {
      if ((keys(i) ^ flip) > (keys(greatestAt) ^ flip)) greatestAt = i
      tail(i - first) = keys(greatestAt) ^ flip
      tailAt(i - first) = greatestAt
      i -= 1
    }
  }
}
