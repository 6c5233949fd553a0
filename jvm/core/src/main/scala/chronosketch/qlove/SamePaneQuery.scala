package chronosketch.qlove

import chronosketch.Refusal
import chronosketch.domain.Domain

/** The time type and query that panes and windows of panes must share to be merged. */
private[qlove] trait SamePaneQuery {
  def timeDomain: Domain
  def query: Query

  /** Refuses if the time types do not widen or the queries differ. */
  final protected def requireOneWindow(that: SamePaneQuery): Unit = {
    timeDomain.widenTimesOrRefuse(that.timeDomain, Panes.ofSecond(Nil))
    if (query != that.query)
      throw Refusal(
        "CHRONOSKETCH_QUERIES_DIFFER",
        "left" -> query.toString,
        "right" -> that.query.toString
      )
  }
}
