package chronosketch.sliding.order

import chronosketch.sliding.{Frames, Stretches}

/** Slides over the rows of a stretch and maintains a statistic of the distinct keys, one arriving or leaving element at a time.
  *
  * Guarantee  [[answer]] is called when exactly the elements of a row's frame are present
  * Cost       sorting stretches of a few frames' length; one call per element that arrives and one per element that leaves
  *
  * Not thread-safe: work arrays are reused from run to run.
  */
private[order] abstract class StretchWalk {
  protected final val stretch = new DistinctKeys

  /** Starts a new stretch, none of whose elements has arrived. */
  protected def begin(): Unit

  /** Adds an element. Its key is the stretch's distinct key at this index. */
  protected def arrive(number: Int): Unit
  protected def leave(number: Int): Unit

  /** The statistic of the elements present, at least one. */
  protected def answer: Long

  /** Element i has the key keys(i). Writes the answer for each row to out(row), 0 for an empty frame. */
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
    var left = start // elements before this one have left the frame
    var arrived = start // elements before this one have arrived
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
