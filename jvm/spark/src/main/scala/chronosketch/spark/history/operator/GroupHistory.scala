package chronosketch.spark.history.operator

import org.apache.spark.sql.catalyst.InternalRow

import chronosketch.Refusal
import chronosketch.history.HistoryBuilder
import chronosketch.memory.Meter
import chronosketch.spark.history.Holding
import chronosketch.spark.sql.Conditions

/** Builds the histories of one call, group after group, from rows in order of version.
  *
  * Cost  that of the builder, and 24 bytes for each row that has not reached its end; no object per row
  */
private[operator] final class GroupHistory(call: HistoryCall, meter: Meter) {
  private val latest = call.answer.latest
  private val ends = new PendingEnds
  private var builder: HistoryBuilder = null
  ends.meteredBy(meter)

  def start(): Unit = {
    builder = new HistoryBuilder(call.recipe)
    builder.meteredBy(meter)
  }

  /** Adds a row. Versions must not decrease within a group. */
  def add(row: InternalRow, version: Long): Unit =
    if (version <= latest && !row.isNullAt(call.value)) {
      // runs for each row: try costs nothing, a closure would allocate an object
      try {
        if (call.change < 0) add(row, version, row.getLong(call.value), 1L)
        else if (!row.isNullAt(call.change))
          add(row, version, row.getLong(call.value), row.getLong(call.change))
      } catch { case refusal: Refusal => throw Conditions.runtimeError(refusal, call.context) }
    }

  private def add(row: InternalRow, version: Long, key: Long, change: Long): Unit =
    if (call.until < 0 || row.isNullAt(call.until)) {
      endUntil(version)
      builder.update(version, key, change)
    } else {
      val end = row.getLong(call.until)
      if (Holding.isSome(version, end, call.recipe.versions)) {
        endUntil(version)
        builder.update(version, key, change)
        if (end <= latest) ends.add(end, key, Holding.undone(change))
      }
    }

  /** Deletes the values of rows that end at or before a version. */
  private def endUntil(version: Long): Unit =
    while (!ends.isEmpty && ends.version <= version) {
      builder.update(ends.version, ends.key, ends.change)
      ends.removeFirst()
    }

  /** Completes the group and returns its answer. */
  def finish(): Any = {
    val answer = Conditions.answering(call.context) {
      endUntil(Long.MaxValue)
      call.answer.of(builder.result())
    }
    builder.meteredBy(null)
    builder = null
    answer
  }
}
