package chronosketch.history.span

import java.util.Arrays

/** A growing array of longs. */
private[history] final class LongList {
  private var numbers = new Array[Long](16)
  private var n = 0

  def size: Int = n
  def room: Int = numbers.length
  def apply(i: Int): Long = numbers(i)

  def add(number: Long): Unit = {
    if (n == numbers.length) numbers = Arrays.copyOf(numbers, 2 * n)
    numbers(n) = number
    n += 1
  }

  /** Keeps only the first `size` numbers. */
  def truncate(size: Int): Unit = n = size
  def toArray: Array[Long] = Arrays.copyOf(numbers, n)
}
