package chronosketch.spark.warehouse.manifest

import chronosketch.warehouse.MemoryShares

/** The limits of the summaries of a warehouse. */
private[spark] sealed trait SummaryLimits {

  /** The limit of the run at a place, counted from the oldest, which is 1. */
  def run(place: Int): LineLimit

  /** The limit of one of `batches` live batches. */
  def live(batches: Int): LineLimit
}

/** Limits the rank error to a share of the rows: epsilon1 in a run, epsilon2 in a live batch. */
private[spark] final case class ErrorLimits(epsilon1: Double, epsilon2: Double) extends SummaryLimits {
  def run(place: Int): LineLimit = MostError(epsilon1)
  def live(batches: Int): LineLimit = MostError(epsilon2)

  /** The error that users set as `epsilon`. */
  def epsilon: Double = 2 * epsilon1
}

private[spark] object ErrorLimits {
  def of(epsilon: Double): ErrorLimits = ErrorLimits(epsilon / 2, epsilon / 4)
}

/** Limits the bytes of all summaries together. The summaries are as accurate as these bytes allow. */
private[spark] final case class MemoryLimits(shares: MemoryShares) extends SummaryLimits {
  def run(place: Int): LineLimit = MostBytes(shares.ofRun(place))
  def live(batches: Int): MostBytes = MostBytes(shares.ofLive(batches))
}

/** The limit of the summaries of one run or one live batch. */
private[spark] sealed trait LineLimit extends Serializable

/** Limits the rank error of each group to a share of its rows. */
private[spark] final case class MostError(epsilon: Double) extends LineLimit

/** Limits the bytes of all groups together. */
private[spark] final case class MostBytes(bytes: Long) extends LineLimit
