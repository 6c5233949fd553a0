package chronosketch.sliding.histogram

/** What is the answer, and between which numbers does the exact one lie, for certain? Or why there is none. */
final class Bounds {
  var low, value, high = 0.0

  /** null where there is an answer. */
  var refusal: NoAnswer = null

  def isAnswered: Boolean = refusal == null

  /** By what share of the exact answer the given one may be wrong: without limit where the exact one may be 0, and is not for certain. */
  def error: Double =
    if (low == high) 0.0
    else if (low <= 0 && high >= 0) Double.PositiveInfinity
    else (high - low) / math.abs(high + low)

  private[histogram] def exact(value: Double): Unit = between(value, value)

  /** Of numbers of one sign, that which is wrong by the least share at worst. */
  private[histogram] def between(low: Double, high: Double): Unit = {
    this.low = low
    this.high = high
    value =
      if (low == high) low
      else if (low <= 0 && high >= 0) low / 2 + high / 2
      else low / (low / 2 + high / 2) * high
    refusal = null
    // an infinity here is an overflow
    if (!(math.abs(low) <= Double.MaxValue && math.abs(high) <= Double.MaxValue)) refuse(NoAnswer.NotFinite)
  }

  /** An answer that may be any double. */
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
