package chronosketch.spark.hopping.panes

/** Which of the panes at hand does each window have?
  *
  * @param number of the i-th pane at hand; they are in order, and one may be there several times
  */
private[spark] final class WindowFrames(assigner: WindowAssigner, number: Int => Long) {

  /** The windows found, and where their panes are. */
  val windows = new NumberedFrames
  private var next = Long.MinValue
  private var first, end = 0

  /** Where the panes begin that windows to come may have. */
  def firstSeen: Int = first

  /** Starts with the panes of another key. */
  def restart(): Unit = {
    proceed()
    next = Long.MinValue
  }

  /** Goes on with the same windows where other panes of the key are at hand. */
  def proceed(): Unit = {
    windows.clear()
    first = 0
    end = 0
  }

  /** Finds the windows from `least` to `most` that have panes and were not found before.
    *
    * @param panes   how many are at hand
    * @param isWhole whether no more of them come; otherwise a window is found when a pane behind it is there
    * @param room    how many windows there may be
    * @return whether all of them are found
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
