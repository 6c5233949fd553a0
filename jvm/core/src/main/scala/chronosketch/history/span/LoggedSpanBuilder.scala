package chronosketch.history.span

import chronosketch.history.live.LiveValues
import chronosketch.memory.Meter

/** Builds a span of few elements from the values alive at its first version and the changes since.
  *
  * @param isExact whether so few elements are alive that they must be stored exactly; else the span ends
  */
private[history] final class LoggedSpanBuilder(first: Long, live: LiveValues, isExact: () => Boolean)
    extends SpanBuilder {
  private val keys = new Array[Long](Math.toIntExact(live.distinct))
  private val copies = new Array[Long](keys.length)
  private val versions, ends, changedKeys, changes = new LongList
  private val maxChanges = LoggedSpan.maxChanges(keys.length.toLong)

  locally {
    val walk = live.walk
    var i = 0
    while (i < keys.length) {
      keys(i) = walk.key
      copies(i) = walk.copies
      walk.next()
      i += 1
    }
  }

  private def ended: Int = if (ends.size == 0) 0 else ends(ends.size - 1).toInt

  /** Stores up to one change more than allowed, so that `endVersion` sees that the version does not fit. */
  def change(key: Long, change: Long): Unit = if (changes.size <= maxChanges) {
    changedKeys.add(key)
    changes.add(change)
  }

  def endVersion(version: Long): Boolean =
    isExact() && changes.size <= maxChanges && {
      if (changes.size > ended) {
        versions.add(version)
        ends.add(changes.size.toLong)
      }
      true
    }

  def finish(): Span = {
    changedKeys.truncate(ended)
    changes.truncate(ended)
    new LoggedSpan(
      first,
      keys,
      copies,
      versions.toArray,
      ends.toArray.map(_.toInt),
      changedKeys.toArray,
      changes.toArray
    )
  }

  def sizeBytes: Long =
    2 * Meter.longs(keys.length) + 2 * Meter.longs(versions.room) + 2 * Meter.longs(changes.room)
}
