package chronosketch.spark.warehouse.manifest

/** The step that rows of streams go to until it ends: then it gets its number, and one run takes the place of its live batches.
  *
  * @param id    no other step has it
  * @param until the time at which it ends, in milliseconds since 1970; none where someone ends it by hand
  * @param live  its batches, oldest first; at least one
  */
private[spark] final case class OpenStep(id: String, until: Option[Long], live: IndexedSeq[Live]) {

  /** `until` as Spark has times: in microseconds. */
  def untilMicros: Option[Long] = until.map(Math.multiplyExact(_, 1000L))

  def isOver(now: Long): Boolean = until.exists(_ <= now)
}
