package chronosketch.history.span

import chronosketch.history.live.LiveValues

/** Divides the live values into cells of at most `width` elements.
  *
  * Guarantee  a cell has at most `width` elements or one key: a key with more copies has a cell of its own, which ends before the next
  *            key that is possible
  * Cost       a pass over the keys
  *
  * A cell is given by the key at which it begins; the first cell begins at `start`.
  */
private[history] object Cells {

  /** Adds the beginnings of all cells but the first, and the number of elements before each.
    *
    * @param walk    stands at the first key at or above `start`
    * @param isEnded whether to stop at `end`; else the last key ends the last cell
    */
  def cut(
      walk: LiveValues#Walk,
      start: Long,
      end: Long,
      isEnded: Boolean,
      width: Long,
      starts: LongList,
      before: LongList
  ): Unit = {
    var open = start
    var inside, all = 0L
    while (!walk.atEnd && (!isEnded || walk.key < end)) {
      val key = walk.key
      val copies = walk.copies
      if (copies > width) {
        if (key != open) { starts.add(key); before.add(all) }
        open = key + 1
        inside = 0L
        if (key != Long.MaxValue && !(isEnded && open == end)) { starts.add(open); before.add(all + copies) }
      } else if (inside + copies > width && key != open) {
        starts.add(key)
        before.add(all)
        open = key
        inside = copies
      } else inside += copies
      all += copies
      walk.next()
    }
  }
}
