package chronosketch.spark.warehouse.live

/** How long a step of a stream is. Steps end at whole multiples of it since 1970, in UTC, as Spark's own windows do. */
private[warehouse] final case class StepLength(millis: Long) {

  /** When the step ends that is open at a time. */
  def end(now: Long): Long = (Math.floorDiv(now, millis) + 1) * millis
}
