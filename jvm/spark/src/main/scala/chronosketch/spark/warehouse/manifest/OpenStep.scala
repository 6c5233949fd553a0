package chronosketch.spark.warehouse.manifest

/** The step that streams currently write to. When it ends, it gets its number, and one run replaces its live batches.
  *
  * @param id    unique
  * @param until when it ends, in milliseconds since 1970; empty if it is ended by hand
  * @param live  its batches, oldest first; at least one
  */
private[spark] final case class OpenStep(id: String, until: Option[Long], live: IndexedSeq[Live]) {

  /** `until` in microseconds, the unit of Spark's timestamps. */
  def untilMicros: Option[Long] = until.map(Math.multiplyExact(_, 1000L))

  def isOver(now: Long): Boolean = until.exists(_ <= now)
}
