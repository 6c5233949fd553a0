package chronosketch.summary

/** A summary that knows its least and its greatest key; none where it has seen nothing. */
trait Extremes extends Summary {
  def minimum: Option[Long]
  def maximum: Option[Long]
}
