package chronosketch.warehouse

/** The rows [from, until) of a sorted run, counted from 1. */
final case class Stretch(from: Long, until: Long) {
  def length: Long = until - from
}

/** A stretch of rows of one of several runs. */
final case class RunStretch(run: Int, stretch: Stretch)
