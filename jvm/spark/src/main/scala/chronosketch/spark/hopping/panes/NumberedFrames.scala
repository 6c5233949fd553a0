package chronosketch.spark.hopping.panes

import java.util.Arrays

import chronosketch.sliding.Frames

/** Windows and the panes that each has, or panes and their rows: stretches of what is at hand, each with a number, in order. */
private[spark] final class NumberedFrames {
  private var numbers = new Array[Long](64)
  private var from, until = new Array[Int](64)
  private var n = 0

  def size: Int = n

  /** The number of the i-th. */
  def apply(i: Int): Long = numbers(i)

  def clear(): Unit = n = 0

  /** From `first` up to, and without, `end`. */
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

  /** Good until the next is added. */
  def begins: Array[Int] = from
  def ends: Array[Int] = until
  def frames: Frames = new Frames(from, until, n)
}
