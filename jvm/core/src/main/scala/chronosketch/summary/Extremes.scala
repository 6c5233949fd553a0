package chronosketch.summary

/** A summary that knows its least and its greatest key; both are None if it is empty. */
trait Extremes extends Summary {
  def minimum: Option[Long]
  def maximum: Option[Long]
}
