package chronosketch.spark.history.operator

import org.apache.spark.sql.catalyst.InternalRow

import chronosketch.Refusal
import chronosketch.history.HistoryBuilder
import chronosketch.memory.Meter
import chronosketch.spark.history.{ChangeSink, RowLifetime}
import chronosketch.spark.sql.Conditions

/** Builds the histories of one call, group after group, from rows in order of version.
  *
  * Cost  that of the builder, and 24 bytes for each row that has not reached its end; no object per row
  */
private[operator] final class GroupHistory(call: HistoryCall, meter: Meter) extends ChangeSink {
  private val lifetime = new RowLifetime(call.answer.latest, call.recipe.versions)
  private val ends = new PendingEnds
  private var builder: HistoryBuilder = null
  ends.meteredBy(meter)

  def start(): Unit = {
    builder = new HistoryBuilder(call.recipe)
    builder.meteredBy(meter)
  }

  /** Adds a row. Versions must not decrease within a group. */
  def add(row: InternalRow, version: Long): Unit =
    if (!row.isNullAt(call.value) && (call.change < 0 || !row.isNullAt(call.change))) {
      val key = row.getLong(call.value)
      val change = if (call.change < 0) 1L else row.getLong(call.change)
      // runs for each row: try costs nothing, a closure would allocate an object
      try {
        if (call.until < 0 || row.isNullAt(call.until)) lifetime.add(version, key, change, this)
        else lifetime.add(version, row.getLong(call.until), key, change, this)
      } catch { case refusal: Refusal => throw Conditions.runtimeError(refusal, call.context) }
    }

  def insert(version: Long, key: Long, change: Long): Unit = {
    endUntil(version)
    builder.update(version, key, change)
  }

  def insertLater(version: Long, key: Long, change: Long): Unit = ends.add(version, key, change)

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
