package chronosketch.spark.warehouse.answers

import chronosketch.spark.warehouse.manifest.Run

/** A range of rows of a run to read, counted from 0. */
private[answers] final case class Place(run: Run, from: Long, until: Long) {
  // compare runs by id only, which is unique
  override def hashCode: Int = (run.id, from, until).hashCode
  override def equals(other: Any): Boolean = other match {
    case that: Place => run.id == that.run.id && from == that.from && until == that.until
    case _ => false
  }
}
