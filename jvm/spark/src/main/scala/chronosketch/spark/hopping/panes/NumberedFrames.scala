package chronosketch.spark.hopping.panes

import java.util.Arrays

import chronosketch.sliding.Frames

/** Frames, each with the number of its window or pane: windows over panes, or panes over the rows of their parts. In order. */
private[spark] final class NumberedFrames {
  private var numbers = new Array[Long](64)
  private var from, until = new Array[Int](64)
  private var n = 0

  def size: Int = n

  /** The number of the i-th frame. */
  def apply(i: Int): Long = numbers(i)

  def clear(): Unit = n = 0

  /** The frame of the elements from `first` until `end`. */
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

  /** Valid until the next frame is added. */
  def begins: Array[Int] = from
  def ends: Array[Int] = until
  def frames: Frames = new Frames(from, until, n)
}
