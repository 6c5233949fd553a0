package chronosketch.spark.hopping.panes

import java.util.Arrays

import chronosketch.sliding.Frames

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
