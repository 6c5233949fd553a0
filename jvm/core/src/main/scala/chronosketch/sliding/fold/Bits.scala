package chronosketch.sliding.fold

import chronosketch.sliding.{Blocks, Frames, WorkArrays}

/** Computes the bitwise AND, OR and XOR of the elements in every row's frame.
  *
  * Guarantee  exact; narrower integers are passed as longs of the same value, and the answers are such longs as well
  * Cost       `and`, `or`: one operation per element that arrives, another when its block becomes the older one, and one per row;
  *            a work array as long as the longest frame. `xor`: one operation per element that arrives and one per element that
  *            leaves
  * Source     as [[FrameExtremes]]
  *
  * AND is the complement of the OR of complements: `flip` is 0 or −1.
  */
final class Bits {
  // tail(i) covers the older block's elements from first + i to its end
  private var tail = new Array[Long](0)

  def and(values: Array[Long], frames: Frames, out: Array[Long]): Unit = slide(values, frames, -1L, out)

  def or(values: Array[Long], frames: Frames, out: Array[Long]): Unit = slide(values, frames, 0L, out)

  /** XOR is its own inverse: applying an element a second time removes it. */
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
    tail = WorkArrays.atLeast(tail, cut - first + 1)
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
