package chronosketch.spark.hopping.stream

import chronosketch.spark.hopping.panes.{Hop, NumberedFrames}

/** Which of some panes do windows have?
  *
  * @param panes their numbers, in order
  */
private[stream] final class WindowFrames(hop: Hop, panes: Array[Long]) {
  val windows = new NumberedFrames
  private var next = Long.MinValue
  private var first, end = 0

  /** The windows from one to another that have panes, and are not there yet. */
  def add(least: Long, most: Long): Unit = {
    next = math.max(next, least)
    while (next <= most) {
      val start = hop.firstOf(next)
      while (first < panes.length && panes(first) < start) first += 1
      if (first == panes.length) next = most + 1
      else if (panes(first) >= start + hop.panes) next = hop.firstWith(panes(first))
      else {
        while (end < panes.length && panes(end) < start + hop.panes) end += 1
        windows.add(next, first, end)
        next += 1
      }
    }
  }
}
