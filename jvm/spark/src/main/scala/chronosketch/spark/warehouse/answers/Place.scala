package chronosketch.spark.warehouse.answers

import chronosketch.spark.warehouse.manifest.Run

/** Rows of a run that are to be read, from 0. */
private[answers] final case class Place(run: Run, from: Long, until: Long) {
  // of a run its name says everything
  override def hashCode: Int = (run.id, from, until).hashCode
  override def equals(other: Any): Boolean = other match {
    case that: Place => run.id == that.run.id && from == that.from && until == that.until
    case _ => false
  }
}
