package chronosketch.sliding.moments

import chronosketch.sliding.Frames

/** Computes the sum of the whole numbers in every row's frame.
  *
  * Guarantee  exact: 128 bits, high·2⁶⁴ + low with `low` unsigned, which no sum of longs overflows. `low` is the sum of longs
  *            with wraparound, and the exact sum if [[LongSums.isLong]]. (Spark's ANSI sum also fails if only an intermediate
  *            sum, counted from the frame's first row, overflows.)
  * Cost       one addition per element that arrives, one subtraction per element that leaves
  * Units      decimals are passed as their unscaled values
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

  /** 1 if a − b borrows, or if a sum a with the summand b has overflowed 64 bits; both unsigned. */
  private def borrow(a: Long, b: Long): Long = if (a + Long.MinValue < b + Long.MinValue) 1L else 0L

  /** Whether the sum fits into a long. If so, it is `low`. */
  def isLong(high: Long, low: Long): Boolean = high == low >> 63

  /** The double nearest to a sum of up to 2³¹ longs; ties go to the even one. */
  def toDouble(high: Long, low: Long): Double =
    if (isLong(high, low)) low.toDouble
    else if (high < 0) -magnitude(if (low == 0) -high else ~high, -low)
    else magnitude(high, low)

  /** Converts a number of 64 to 95 bits. Its first 63 bits, with the last one set if any lower bit is, round as the whole number
    * does.
    */
  private def magnitude(high: Long, low: Long): Double = {
    val shift = java.lang.Long.numberOfLeadingZeros(high) - 1
    val bits = high << shift | low >>> (64 - shift)
    val rest = low << shift
    Math.scalb((if (rest == 0) bits else bits | 1L).toDouble, 64 - shift)
  }
}
