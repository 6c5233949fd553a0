package chronosketch.rank

/** At which key does the certified answer to a rank lie, of a bag whose count is certain?
  *
  * Guarantee  the first i with A⁺(i − 1) + 1 − rank ≥ rank − A⁻(i); `size` where there is none
  * Cost       a table look-up and a search within its cell: of a step or two where keys stand for about as many elements each, of
  *            O(log m) on any; building it a pass over the keys and the table, 8 to 16 bytes a key
  * Units      ranks start at 1
  *
  * That is where A⁻(i) + A⁺(i − 1) + 1 reaches twice the rank: the table cuts these sums, which do not fall, into equal cells.
  */
private[rank] final class RankIndex(low: Array[Long], high: Array[Long], size: Int, n: Long) {
  private val bits = math.min(24, 33 - Integer.numberOfLeadingZeros(size))
  private val shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(2 * n) - bits)

  // of each cell the first key whose sum lies in it or in a later one, and where the last cell ends
  private val cells: Array[Int] = {
    val table = new Array[Int](((2 * n) >>> shift).toInt + 2)
    var cell = 0
    var i = 0
    while (i < size) {
      // the greatest sum may be one above twice the greatest rank
      val own = math.min((sum(i) >>> shift).toInt, table.length - 2)
      while (cell <= own) { table(cell) = i; cell += 1 }
      i += 1
    }
    while (cell < table.length) { table(cell) = size; cell += 1 }
    table
  }

  private def sum(i: Int): Long = low(i) + 1 + (if (i == 0) 0L else high(i - 1))

  def crossing(rank: Long): Int = {
    val twice = 2 * rank
    val cell = (twice >>> shift).toInt
    var from = cells(cell)
    var left = cells(cell + 1) - from
    while (left > 0) {
      val half = (left + 1) >>> 1
      if (sum(from + half - 1) < twice) from += half
      left -= half
    }
    from
  }
}

private[rank] object RankIndex {

  /** Twice as many are a Long still, and one more. */
  val MostElements: Long = 1L << 61
}
