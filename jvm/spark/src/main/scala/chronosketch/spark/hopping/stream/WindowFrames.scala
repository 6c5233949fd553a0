package chronosketch.spark.hopping.stream

import java.util.Arrays

import chronosketch.spark.hopping.Hop

/** Which of some panes do windows have?
  *
  * @param panes their numbers, in order
  */
private[stream] final class WindowFrames(hop: Hop, panes: Array[Long]) {
  var from, until = new Array[Int](64)
  var count = 0
  private var windows = new Array[Long](64)
  private var next = Long.MinValue
  private var first, end = 0

  def window(i: Int): Long = windows(i)

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
        append()
        next += 1
      }
    }
  }

  private def append(): Unit = {
    if (count == windows.length) {
      from = Arrays.copyOf(from, 2 * count)
      until = Arrays.copyOf(until, 2 * count)
      windows = Arrays.copyOf(windows, 2 * count)
    }
    from(count) = first
    until(count) = end
    windows(count) = next
    count += 1
  }
}
