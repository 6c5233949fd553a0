package chronosketch.sliding.histogram

/** Why a structure does not answer. */
sealed abstract class NoAnswer extends Serializable

object NoAnswer {

  /** The frame has no elements, and the question needs one. */
  case object NoElements extends NoAnswer

  /** Nothing is kept that answers this question. */
  case object NotKept extends NoAnswer

  /** An element below 0 is in the frame, or may be. */
  case object NegativeValue extends NoAnswer

  /** A NaN or an infinity is in the frame, or may be; or what is asked leaves the range of doubles. */
  case object NotFinite extends NoAnswer
}
