package chronosketch.sliding.histogram

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
