package chronosketch.spark.hopping.panes

/** Finds windows and the loaded panes of each.
  *
  * @param number returns the number of the i-th loaded pane; numbers are in order and may repeat
  */
private[spark] final class WindowFrames(assigner: WindowAssigner, number: Int => Long) {

  /** The found windows, and the frames of their panes. */
  val windows = new NumberedFrames
  private var next = Long.MinValue
  private var first, end = 0

  /** The first pane that later windows may have. */
  def firstSeen: Int = first

  /** Starts another key. */
  def restart(): Unit = {
    proceed()
    next = Long.MinValue
  }

  /** Continues with the next windows of a key after its loaded panes have changed. */
  def proceed(): Unit = {
    windows.clear()
    first = 0
    end = 0
  }

  /** Finds the windows from `least` to `most` that have panes and were not found before.
    *
    * @param panes   the number of loaded panes
    * @param isWhole whether all panes are loaded. If not, a window is found once a pane after it is loaded
    * @param room    the most windows in the list
    * @return whether all windows up to `most` were found
    */
  def find(least: Long, most: Long, panes: Int, isWhole: Boolean, room: Int): Boolean = {
    next = math.max(next, least)
    var waits = false
    while (next <= most && !waits && windows.size < room) {
      val start = assigner.firstOf(next)
      val stop = start + assigner.panes
      while (first < panes && number(first) < start) first += 1
      if (first == panes) {
        if (isWhole) next = most + 1 else waits = true
      } else if (number(first) >= stop) next = assigner.firstWith(number(first))
      else if (!isWhole && number(panes - 1) < stop) waits = true
      else {
        while (end < panes && number(end) < stop) end += 1
        windows.add(next, first, end)
        next += 1
      }
    }
    next > most
  }
}
