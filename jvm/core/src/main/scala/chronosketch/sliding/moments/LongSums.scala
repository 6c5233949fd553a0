package chronosketch.sliding.moments

import chronosketch.sliding.Frames

/** What is the sum of the whole numbers that a row sees?
  *
  * Guarantee  exact: 128 bits, high·2⁶⁴ + low with `low` unsigned, which no sum of longs overflows. `low` alone is what a sum of longs
  *            wraps to, and the sum where [[LongSums.isLong]]. (Spark's ANSI sum also fails where the result would fit and a sum on the
  *            way, from the frame's first row on, does not.)
  * Cost       an addition an element as it arrives, a subtraction as it goes, none a row
  * Units      a decimal's unscaled value sums as the number it is
  */
object LongSums {
  def slide(
      values: Array[Long],
      frames: Frames,
      high: Array[Long],
      low: Array[Long]
  ): Unit = {
    val (from, until, rows) = (frames.from, frames.until, frames.rows)
    var gone = 0
    var arrived = 0
    var hi = 0L
    var lo = 0L
    var row = 0
    while (row < rows) {
      val start = from(row)
      while (gone < start) {
        val value = values(gone)
        hi -= (value >> 63) + borrow(lo, value)
        lo -= value
        gone += 1
      }
      val end = until(row)
      while (arrived < end) {
        val value = values(arrived)
        lo += value
        hi += (value >> 63) + borrow(lo, value)
        arrived += 1
      }
      high(row) = hi
      low(row) = lo
      row += 1
    }
  }

  /** 1 where a − b goes below zero, or where a, a sum with b, has gone beyond 64 bits: both unsigned. */
  private def borrow(a: Long, b: Long): Long = if (a + Long.MinValue < b + Long.MinValue) 1L else 0L

  /** Whether the sum is a long: then it is `low`. */
  def isLong(high: Long, low: Long): Boolean = high == low >> 63

  /** The double nearest to a sum of up to 2³¹ longs, the even one of two. */
  def toDouble(high: Long, low: Long): Double =
    if (isLong(high, low)) low.toDouble
    else if (high < 0) -magnitude(if (low == 0) -high else ~high, -low)
    else magnitude(high, low)

  /** Of 64 to 95 bits: the first 63 of them, with the last set if any below is, round as all of them do. */
  private def magnitude(high: Long, low: Long): Double = {
    val shift = java.lang.Long.numberOfLeadingZeros(high) - 1
    val bits = high << shift | low >>> (64 - shift)
    val rest = low << shift
    Math.scalb((if (rest == 0) bits else bits | 1L).toDouble, 64 - shift)
  }
}
