package chronosketch.sliding.moments

import chronosketch.memory.Meter
import chronosketch.sliding.{Blocks, Frames, Room}

/** What is the sum of the doubles that a row sees?
  *
  * Guarantee  with n elements, u = 2⁻⁵³ and no overflow on the way: |answer − sum| ≤ u·|sum| + 2(nu)²·Σ|element|, where adding up as Spark
  *            does is within (n − 1)u·Σ|element|: the nearest double or its neighbour, unless |sum| < 2n²u·Σ|element|.
  *            NaN and the infinities answer as in Spark, and no later row knows of them; no elements or zeros of any sign sum to 0.0
  * Cost       a compensated addition an element as it arrives, another when its block turns, one a row; work arrays of 16 bytes an
  *            element of the longest frame
  * Source     Ogita, Rump and Oishi, Accurate sum and dot product, 2005, Sum2; van Herk 1992; departs: nothing is ever subtracted
  *
  * A plain sum by blocks takes half the time (2.6 ns a row for 5.1), errs by the digits that it gathers (10⁻¹² at 100 000 elements about
  * zero, where this one gave the nearest double), and sums equal frames differently as they lie in their blocks. A compensated sum that
  * subtracts what goes takes as little, but an infinity, a NaN or an overflow stays in it, and its error is that of all elements so far.
  */
final class DoubleSums {
  // of the older block's elements from each one on: their sum as added up, and what was rounded away
  private var tail = new Array[Double](0)
  private var tailRest = new Array[Double](0)

  /** The memory of its work arrays. The elements are the caller's. */
  def sizeBytes: Long = Meter.ObjectBytes + Meter.doubles(tail.length) + Meter.doubles(tailRest.length)

  def slide(values: Array[Double], frames: Frames, out: Array[Double]): Unit = {
    val blocks = new Blocks(frames)
    val (from, until, rows) = (frames.from, frames.until, frames.rows)
    var first = 0
    var arrived = 0
    var head = 0.0
    var headRest = 0.0
    var row = 0
    while (row < rows) {
      if (blocks.advance(row)) {
        first = from(row)
        arrived = blocks.cut
        fillTail(values, first, arrived)
        head = 0.0
        headRest = 0.0
      }
      val end = until(row)
      while (arrived < end) {
        val value = values(arrived)
        val sum = head + value
        headRest += DoubleSums.rounded(head, value, sum)
        head = sum
        arrived += 1
      }
      val at = from(row) - first
      val older = tail(at)
      val sum = older + head
      val exact = sum + (tailRest(at) + headRest + DoubleSums.rounded(older, head, sum))
      // beyond the finite numbers only the plain sum means anything
      out(row) = if (exact != exact) sum else exact
      row += 1
    }
  }

  private def fillTail(values: Array[Double], first: Int, cut: Int): Unit = {
    tail = Room.of(tail, cut - first + 1)
    tailRest = Room.of(tailRest, cut - first + 1)
    val (tails, rests) = (tail, tailRest)
    var sum = 0.0
    var rest = 0.0
    tails(cut - first) = sum
    rests(cut - first) = rest
    var i = cut - 1
    while (i >= first) {
      val value = values(i)
      val next = sum + value
      rest += DoubleSums.rounded(sum, value, next)
      sum = next
      tails(i - first) = sum
      rests(i - first) = rest
      i -= 1
    }
  }
}

object DoubleSums {

  /** What a + b is more than their rounded sum: exactly, where that is finite (Knuth's TwoSum). */
  private[chronosketch] def rounded(a: Double, b: Double, sum: Double): Double = {
    val added = sum - a
    (a - (sum - added)) + (b - added)
  }
}
