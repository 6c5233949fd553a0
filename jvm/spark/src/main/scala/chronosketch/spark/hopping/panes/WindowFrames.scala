package chronosketch.spark.hopping.panes

import java.util.Arrays

import chronosketch.sliding.Frames

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
  def firstNeeded: Int = first

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

/** A list of frames in order, each with the number of its window or pane. A window's frame has panes, a pane's frame has rows. */
private[spark] final class NumberedFrames {
  private var numbers = new Array[Long](64)
  private var from, until = new Array[Int](64)
  private var n = 0

  def size: Int = n

  /** The number of the i-th frame. */
  def apply(i: Int): Long = numbers(i)

  def clear(): Unit = n = 0

  /** Adds the frame of the elements from `first` until `end`. */
  def add(number: Long, first: Int, end: Int): Unit = {
    if (n == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * n)
      from = Arrays.copyOf(from, 2 * n)
      until = Arrays.copyOf(until, 2 * n)
    }
    numbers(n) = number
    from(n) = first
    until(n) = end
    n += 1
  }

  /** The first element of each frame. The array is valid until the next frame is added. */
  def begins: Array[Int] = from

  /** The end of each frame. The array is valid until the next frame is added. */
  def ends: Array[Int] = until

  /** All frames, valid until the next one is added. */
  def frames: Frames = new Frames(from, until, n)
}
