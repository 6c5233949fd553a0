package chronosketch.spark.warehouse.live

/** The length of a stream's steps. Steps end at whole multiples of it since 1970, in UTC, like Spark's own windows. */
private[warehouse] final case class StepLength(millis: Long) {

  /** The end of the step that contains a time. */
  def end(now: Long): Long = (Math.floorDiv(now, millis) + 1) * millis
}
