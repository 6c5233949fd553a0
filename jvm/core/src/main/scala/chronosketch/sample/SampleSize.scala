package chronosketch.sample

import chronosketch.Refusal

/** How many rows must a sample have?
  *
  * Guarantee  with a probability of 1 − δ, no quantile of a sample of so many is wrong by more than εN ranks
  * Cost       O(1)
  * Source     Meijer 2011, §4.5: ⌈ε⁻² ln(1/(εδ))⌉; more where ε is so large that [[SampleBand]] is wider than that
  */
object SampleSize {
  def of(epsilon: Double, delta: Double): Int = {
    val rows = math.max(math.log(1 / (epsilon * delta)), math.log(16 / delta) / 2) / (epsilon * epsilon)
    if (rows <= SampleFamily.Size.greatest) math.ceil(rows).toInt
    else
      throw Refusal(
        "CHRONOSKETCH_SAMPLE_TOO_LARGE",
        "epsilon" -> epsilon.toString,
        "delta" -> delta.toString,
        "rows" -> f"$rows%.0f",
        "limit" -> SampleFamily.Size.greatest.toLong.toString
      )
  }
}
