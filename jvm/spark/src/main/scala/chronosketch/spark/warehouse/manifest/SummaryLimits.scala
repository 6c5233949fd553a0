package chronosketch.spark.warehouse.manifest

import chronosketch.warehouse.MemoryShares

/** What the summaries of a warehouse keep to. */
private[spark] sealed trait SummaryLimits {

  /** Of a run that has so many before it and itself. */
  def run(place: Int): LineLimit

  /** Of each live batch where there are so many. */
  def live(batches: Int): LineLimit
}

/** Ranks are wrong by at most a share of the rows: by epsilon1 in a run, by epsilon2 in a live batch. */
private[spark] final case class ErrorLimits(epsilon1: Double, epsilon2: Double) extends SummaryLimits {
  def run(place: Int): LineLimit = MostError(epsilon1)
  def live(batches: Int): LineLimit = MostError(epsilon2)

  /** What users call epsilon. */
  def epsilon: Double = 2 * epsilon1
}

private[spark] object ErrorLimits {
  def of(epsilon: Double): ErrorLimits = ErrorLimits(epsilon / 2, epsilon / 4)
}

/** All summaries take no more than so many bytes, and are as close as they can be then. */
private[spark] final case class MemoryLimits(shares: MemoryShares) extends SummaryLimits {
  def run(place: Int): LineLimit = MostBytes(shares.ofRun(place))
  def live(batches: Int): MostBytes = MostBytes(shares.ofLive(batches))
}

/** What the summaries of one run or one live batch keep to. */
private[spark] sealed trait LineLimit extends Serializable

/** Of each group a share of its rows. */
private[spark] final case class MostError(epsilon: Double) extends LineLimit

/** Of all groups together. */
private[spark] final case class MostBytes(bytes: Long) extends LineLimit
