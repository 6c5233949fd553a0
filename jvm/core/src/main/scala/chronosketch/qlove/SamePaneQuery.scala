package chronosketch.qlove

import chronosketch.Refusal
import chronosketch.domain.Domain

/** Checks that panes, and windows of them, can be put together. */
private[qlove] trait OfPanes {
  def timeDomain: Domain
  def query: Query

  /** Refuses times that do not widen, and another query. */
  final protected def requireOneWindow(that: OfPanes): Unit = {
    timeDomain.widenTimesOrRefuse(that.timeDomain, Panes.ofSecond(Nil))
    if (query != that.query)
      throw Refusal(
        "CHRONOSKETCH_QUERIES_DIFFER",
        "left" -> query.toString,
        "right" -> that.query.toString
      )
  }
}
