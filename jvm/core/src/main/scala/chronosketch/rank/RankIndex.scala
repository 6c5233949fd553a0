package chronosketch.rank

/** An index that finds the key with the certified answer to a rank. The count must be certain.
  *
  * Guarantee  finds the first i with A⁺(i − 1) + 1 − rank ≥ rank − A⁻(i), or `size` if there is none
  * Cost       a look-up: one table access and a search within a cell, one or two steps if all keys represent about equally many
  *            elements, and O(log m) at worst. Building the table: a pass over the keys and the table, and 8 to 16 bytes per key
  * Units      ranks start at 1
  *
  * The condition says that the sum A⁻(i) + A⁺(i − 1) + 1 is at least twice the rank. These sums do not fall from key to key. The
  * table divides their range into cells of equal width.
  */
private[rank] final class RankIndex(low: Array[Long], high: Array[Long], size: Int, n: Long) {
  private val bits = math.min(24, 33 - Integer.numberOfLeadingZeros(size))
  private val shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(2 * n) - bits)

  // the index of the first key whose sum is in this cell or a later one, for each cell, and the end of the last cell
  private val cells: Array[Int] = {
    val table = new Array[Int](((2 * n) >>> shift).toInt + 2)
    var cell = 0
    var i = 0
    while (i < size) {
      // the greatest sum may exceed twice the greatest rank by one
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

  /** Twice this number plus 1 still fits into a Long. */
  val MostElements: Long = 1L << 61
}
