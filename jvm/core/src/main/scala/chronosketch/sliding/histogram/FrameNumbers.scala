package chronosketch.sliding.histogram

import chronosketch.sliding.RetainedElements

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

/** Estimates count, sum, mean and variance of the numbers in one frame whose two ends only move forward. */
trait FrameNumbers extends RetainedElements {

  /** Adds the next number. */
  def append(value: Double): Unit

  /** Writes the answer, or the reason why there is none. */
  def answer(question: FrameNumber, into: Bounds): Unit
}

/** A factory for one kind of [[FrameNumbers]]. */
abstract class NumberStructure(val name: String, val text: String) extends Serializable {

  /** The statistics that it supports for finite numbers. [[ExponentialHistogram]] supports sums and means only if no number is
    * negative.
    */
  def answers: Set[FrameNumber]

  /** Whether it has no ε, because every answer is exact up to rounding. */
  def isExact: Boolean

  /** A new structure for frames of at most `capacity` elements that move on by `slide` elements. It will be asked for one of
    * [[answers]], with a relative error of at most `epsilon` if the structure has an ε.
    */
  def of(question: FrameNumber, capacity: Long, slide: Long, epsilon: Double): FrameNumbers

  override def toString: String = name
}

/** An answer with certain bounds for the exact value, or the reason why there is no answer. */
final class Bounds {
  var low, value, high = 0.0

  /** null if there is an answer. */
  var refusal: NoAnswer = null

  def isAnswered: Boolean = refusal == null

  /** Largest relative error of the answer. Infinite if the exact value may be 0 but need not be. */
  def error: Double =
    if (low == high) 0.0
    else if (low <= 0 && high >= 0) Double.PositiveInfinity
    else (high - low) / math.abs(high + low)

  private[histogram] def exact(value: Double): Unit = between(value, value)

  /** Sets the bounds. If they have the same sign, the answer is the value with the smallest worst-case relative error. */
  private[histogram] def between(low: Double, high: Double): Unit = {
    this.low = low
    this.high = high
    value =
      if (low == high) low
      else if (low <= 0 && high >= 0) low / 2 + high / 2
      else low / (low / 2 + high / 2) * high
    refusal = null
    // an infinite bound is an overflow
    if (!(math.abs(low) <= Double.MaxValue && math.abs(high) <= Double.MaxValue)) refuse(NoAnswer.NotFinite)
  }

  /** Sets an exact answer that may be any double, NaN and infinities included. */
  private[histogram] def plain(value: Double): Unit = {
    low = value
    this.value = value
    high = value
    refusal = null
  }

  private[histogram] def refuse(reason: NoAnswer): Unit = {
    low = Double.NaN
    value = Double.NaN
    high = Double.NaN
    refusal = reason
  }
}

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
