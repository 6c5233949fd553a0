package chronosketch.sliding.fold

import chronosketch.sliding.{Blocks, Frames, Room}

/** Which bits are set in all, in some, in an odd number of the elements that a row sees?
  *
  * Guarantee  exact; narrower integers as longs of the same value, whose answers are such longs again
  * Cost       `and`, `or`: an operation an element as it arrives, another when its block turns, one a row; a work array as long as
  *            the longest frame. `xor`: an operation an element as it arrives and another as it goes
  * Source     as [[Extremes]]
  *
  * The conjunction is the complement of the disjunction of complements: `flip` is 0 or −1.
  */
final class Bits {
  // of the older block's elements from each one on
  private var tail = new Array[Long](0)

  def and(values: Array[Long], frames: Frames, out: Array[Long]): Unit = slide(values, frames, -1L, out)

  def or(values: Array[Long], frames: Frames, out: Array[Long]): Unit = slide(values, frames, 0L, out)

  /** Once more what has come takes it away. */
  def xor(values: Array[Long], frames: Frames, out: Array[Long]): Unit = {
    val (from, until, rows) = (frames.from, frames.until, frames.rows)
    var gone = 0
    var arrived = 0
    var bits = 0L
    var row = 0
    while (row < rows) {
      val start = from(row)
      while (gone < start) { bits ^= values(gone); gone += 1 }
      val end = until(row)
      while (arrived < end) { bits ^= values(arrived); arrived += 1 }
      out(row) = bits
      row += 1
    }
  }

  private def slide(values: Array[Long], frames: Frames, flip: Long, out: Array[Long]): Unit = {
    val blocks = new Blocks(frames)
    val (from, until, rows) = (frames.from, frames.until, frames.rows)
    var tail = this.tail
    var first = 0
    var arrived = 0
    var head = 0L
    var row = 0
    while (row < rows) {
      if (blocks.advance(row)) {
        first = from(row)
        arrived = blocks.cut
        tail = tailOf(values, first, arrived, flip)
        head = 0L
      }
      val end = until(row)
      while (arrived < end) {
        head |= values(arrived) ^ flip
        arrived += 1
      }
      out(row) = (tail(from(row) - first) | head) ^ flip
      row += 1
    }
  }

  private def tailOf(values: Array[Long], first: Int, cut: Int, flip: Long): Array[Long] = {
    tail = Room.of(tail, cut - first + 1)
    val into = tail
    var bits = 0L
    into(cut - first) = bits
    var i = cut - 1
    while (i >= first) {
      bits |= values(i) ^ flip
      into(i - first) = bits
      i -= 1
    }
    into
  }
}
