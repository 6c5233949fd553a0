package chronosketch.spark.history

import chronosketch.Refusal
import chronosketch.domain.Domain
import chronosketch.spark.sql.EventTime

/** The time for which a row holds: from its version, inclusive, to its end, exclusive. */
private[history] object Holding {

  /** Whether a row holds for any time. Refuses a row that ends before it starts. */
  def isSome(from: Long, until: Long, versions: Domain): Boolean =
    if (until >= from) until > from
    else
      throw Refusal(
        "CHRONOSKETCH_ENDS_BEFORE_START",
        "from" -> EventTime.text(from, versions),
        "until" -> EventTime.text(until, versions)
      )

  /** The change that undoes a change. */
  def undone(change: Long): Long =
    if (change != Long.MinValue) -change
    else throw Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> Long.MaxValue.toString)
}
