package chronosketch.sliding.histogram

/** A statistic of the numbers in a frame. */
sealed abstract class FrameNumber(val name: String) extends Serializable {
  override def toString: String = name
}

object FrameNumber {
  case object Count extends FrameNumber("count")
  case object Sum extends FrameNumber("sum")
  case object Mean extends FrameNumber("mean")

  /** Population variance: M2/n. */
  case object Variance extends FrameNumber("variance")

  val all: Seq[FrameNumber] = Seq(Count, Sum, Mean, Variance)
}
