package chronosketch.sliding.histogram

/** The reason why a structure has no answer. */
sealed abstract class NoAnswer extends Serializable

object NoAnswer {

  /** The frame is empty, and the statistic needs an element. */
  case object NoElements extends NoAnswer

  /** The structure does not store what this statistic needs. */
  case object NotKept extends NoAnswer

  /** The frame contains a negative element, or may contain one. */
  case object NegativeValue extends NoAnswer

  /** The frame contains a NaN or an infinity, or may contain one; or the answer is beyond the range of doubles. */
  case object NotFinite extends NoAnswer
}
