package chronosketch.sliding.order

import chronosketch.sliding.{Frames, Stretches}

/** What do the keys of every row's frame answer, as they come and go one by one?
  *
  * Guarantee  [[answer]] is asked when exactly the elements of a row's frame have arrived and not left
  * Cost       the sorting of stretches of a few frames' length; a call an element that comes, and one that goes
  *
  * One a thread: its room is used again from run to run.
  */
private[order] abstract class StretchWalk {
  protected final val stretch = new DistinctKeys

  /** A stretch is read, and nothing of it has arrived. */
  protected def begin(): Unit

  /** An element whose key is the number-th of the stretch. */
  protected def arrive(number: Int): Unit
  protected def leave(number: Int): Unit

  /** Of what is there: one element at least. */
  protected def answer: Long

  /** Element i has the key keys(i). Leaves the answer of each row's frame at out(row), 0 where that is empty. */
  final def slide(keys: Array[Long], frames: Frames, out: Array[Long]): Unit = {
    var row = 0
    while (row < frames.rows) {
      val end = Stretches.end(frames, row)
      walk(keys, frames, row, end, out)
      row = end
    }
  }

  private def walk(keys: Array[Long], frames: Frames, first: Int, end: Int, out: Array[Long]): Unit = {
    val froms = frames.from
    val untils = frames.until
    val start = froms(first)
    stretch.read(keys, start, untils(end - 1) - start)
    begin()
    val numbers = stretch.numbers
    var left = start // elements before this one have left
    var arrived = start // those before this one have arrived
    var row = first
    while (row < end) {
      val from = froms(row)
      val until = untils(row)
      var i = math.max(arrived, from)
      while (i < until) {
        arrive(numbers(i - start))
        i += 1
      }
      val stop = math.min(arrived, from)
      i = left
      while (i < stop) {
        leave(numbers(i - start))
        i += 1
      }
      left = from
      arrived = until
      out(row) = if (from < until) answer else 0L
      row += 1
    }
  }
}
