package chronosketch.window.sample

import java.util.Arrays

import chronosketch.domain.Cast
import chronosketch.sort.PairSort

/** The rows with the least priorities among all rows from some time on, divided into those in a window and those after it.
  *
  * No row of the suffix with a smaller priority than one of these was left out. So the least priorities of two such sets are the
  * set for their union. For rows after the window's end only the priorities are stored.
  *
  * @param keys keys of the window's rows, in ascending order
  * @param priorities their priorities, in ascending order for equal keys
  * @param laterPriorities priorities of the later rows, in ascending order
  */
private[sample] final case class Suffix(
    keys: Array[Long],
    priorities: Array[Long],
    laterPriorities: Array[Long]
) {

  /** The same rows with their keys cast. */
  def castBy(cast: Cast): Suffix = {
    val (k, p) = (cast.all(keys, keys.length), priorities.clone())
    new PairSort().sortByBoth(k, p, k.length)
    Suffix(k, p, laterPriorities)
  }

  /** The least priorities of both. */
  def union(that: Suffix, most: Int): Suffix =
    Suffix.least(
      keys ++ that.keys,
      priorities ++ that.priorities,
      laterPriorities ++ that.laterPriorities,
      most
    )
}

private[sample] object Suffix {
  val Nothing: Suffix = Suffix(Array.emptyLongArray, Array.emptyLongArray, Array.emptyLongArray)

  /** The suffix of sorted rows that begins with row `from`. Rows up to the time `end` are in the window.
    *
    * @param isWhole whether these are all rows; then later rows need not be stored
    */
  def of(rows: RetainedRows, from: Int, end: Long, most: Int, isWhole: Boolean): Suffix = {
    val within = rows.firstAfter(end)
    val until = math.max(from, within)
    val laterPriorities =
      if (isWhole) Array.emptyLongArray else Arrays.copyOfRange(rows.priorities, until, rows.size)
    least(
      Arrays.copyOfRange(rows.keys, from, until),
      Arrays.copyOfRange(rows.priorities, from, until),
      laterPriorities,
      most
    )
  }

  /** The arrays are changed and stored. */
  private def least(
      keys: Array[Long],
      priorities: Array[Long],
      laterPriorities: Array[Long],
      most: Int
  ): Suffix = {
    val total = keys.length + laterPriorities.length
    new PairSort().sortByBoth(keys, priorities, keys.length)
    Arrays.sort(laterPriorities)
    if (total <= most) Suffix(keys, priorities, laterPriorities)
    else {
      val all = priorities ++ laterPriorities
      Arrays.sort(all)
      val limit = all(most - 1)
      // number of rows with exactly this priority that still fit
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
        Arrays.copyOf(laterPriorities, most - kept)
      )
    }
  }
}
