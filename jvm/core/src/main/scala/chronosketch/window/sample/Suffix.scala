package chronosketch.window.sample

import java.util.Arrays

import chronosketch.sort.PairSort

/** Of all rows from some time on, those with the least priorities, told apart by whether they belong to a window.
  *
  * Of rows of the suffix none is left out whose priority is less than that of one that is here: so the union of two is their least
  * again. Rows that came after the window's end are told by their priorities alone.
  *
  * @param keys       of the window's rows, rising
  * @param priorities of them, rising where keys are equal
  * @param others     priorities of rows that are not the window's, rising
  */
private[sample] final case class Suffix(keys: Array[Long], priorities: Array[Long], others: Array[Long]) {

  /** The least of both. */
  def union(that: Suffix, most: Int): Suffix =
    Suffix.least(
      keys ++ that.keys,
      priorities ++ that.priorities,
      others ++ that.others,
      most
    )
}

private[sample] object Suffix {
  val Nothing: Suffix = Suffix(Array.emptyLongArray, Array.emptyLongArray, Array.emptyLongArray)

  /** Of settled rows from the one on, with those up to a time in the window.
    *
    * @param isWhole whether these are all rows there are: then those that are too late need not be told
    */
  def of(rows: KeptRows, from: Int, end: Long, most: Int, isWhole: Boolean): Suffix = {
    val within = rows.firstAfter(end)
    val until = math.max(from, within)
    val others = if (isWhole) Array.emptyLongArray else Arrays.copyOfRange(rows.priorities, until, rows.size)
    least(
      Arrays.copyOfRange(rows.keys, from, until),
      Arrays.copyOfRange(rows.priorities, from, until),
      others,
      most
    )
  }

  /** The arrays may be used for work, and are kept. */
  private def least(
      keys: Array[Long],
      priorities: Array[Long],
      others: Array[Long],
      most: Int
  ): Suffix = {
    val total = keys.length + others.length
    sortPairs(keys, priorities)
    Arrays.sort(others)
    if (total <= most) Suffix(keys, priorities, others)
    else {
      val all = priorities ++ others
      Arrays.sort(all)
      val limit = all(most - 1)
      // of those that have just this priority, so many
      var room = most - all.indexWhere(_ == limit)
      var kept = 0
      var i = 0
      while (i < keys.length) {
        val isLess = priorities(i) < limit
        if (isLess || (priorities(i) == limit && room > 0)) {
          if (!isLess) room -= 1
          keys(kept) = keys(i)
          priorities(kept) = priorities(i)
          kept += 1
        }
        i += 1
      }
      Suffix(
        Arrays.copyOf(keys, kept),
        Arrays.copyOf(priorities, kept),
        Arrays.copyOf(others, most - kept)
      )
    }
  }

  /** By key, and by priority where that is equal. */
  private def sortPairs(keys: Array[Long], priorities: Array[Long]): Unit = {
    new PairSort().sort(keys, priorities, keys.length)
    var i = 1
    while (i < keys.length) {
      if (keys(i) == keys(i - 1)) {
        val from = i - 1
        while (i < keys.length && keys(i) == keys(from)) i += 1
        Arrays.sort(priorities, from, i)
      }
      i += 1
    }
  }
}
