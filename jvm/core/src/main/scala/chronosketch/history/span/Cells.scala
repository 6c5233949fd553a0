package chronosketch.history.span

import chronosketch.history.live.LiveValues

/** Where do cells of so many elements begin?
  *
  * Guarantee  a cell has at most `width` elements, or one key alone: a key with more copies has a cell of its own, which
  *            ends before the next number
  * Cost       a walk over the keys
  *
  * A cell is told by the number it begins with; the first by that of what is cut.
  */
private[history] object Cells {

  /** Adds the beginnings of the cells but the first, and how many elements there are before each. The walk goes on from `start`
    * until `end`, which `isEnded` says that there is.
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
