package chronosketch.spark.history.operator

import org.apache.spark.sql.catalyst.InternalRow

import chronosketch.Refusal
import chronosketch.history.HistoryBuilder
import chronosketch.memory.Meter
import chronosketch.spark.history.Holding
import chronosketch.spark.sql.Conditions

/** Builds the history of one group after the other for one call, from rows that come in the order of their versions.
  *
  * Cost  the builder's, and 24 bytes for each row that is to end; no object a row
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

  /** A row of a version, no earlier than the one before. */
  def add(row: InternalRow, version: Long): Unit =
    if (version <= latest && !row.isNullAt(call.value)) {
      // once a row: a try costs nothing, a closure would be an object
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

  /** Undoes what holds no longer at a version. */
  private def endUntil(version: Long): Unit =
    while (!ends.isEmpty && ends.version <= version) {
      builder.update(ends.version, ends.key, ends.change)
      ends.removeFirst()
    }

  /** The answer of the group. */
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
