package chronosketch.sample

import chronosketch.Refusal

/** Computes the size of a sample from ε and δ, and the precision of a sample of given size.
  *
  * Guarantee  with probability 1 − δ, no quantile of a sample of this size is wrong by more than εN ranks
  * Cost       O(1)
  * Source     Meijer 2011, §4.5: ⌈ε⁻² ln(1/(εδ))⌉; more if ε is so large that [[SampleBand]] is wider than that
  */
object SampleSize {

  /** ε⁻²·ln(1/(εδ)): the sample size, whatever the number of rows. */
  def rows(epsilon: Double, delta: Double): Double =
    math.log(1 / (epsilon * delta)) / (epsilon * epsilon)

  /** √(ln(8/δ)/2m): with probability 1 − δ, the ranks of all values of a sample of m are wrong by at most this share. */
  def width(m: Long, delta: Double): Double = math.sqrt(math.log(8 / delta) / (2 * m.toDouble))

  def of(epsilon: Double, delta: Double): Int = {
    val needed = math.max(rows(epsilon, delta), math.log(16 / delta) / (2 * epsilon * epsilon))
    if (needed <= SampleFamily.Size.greatest) math.ceil(needed).toInt
    else
      throw Refusal(
        "CHRONOSKETCH_SAMPLE_TOO_LARGE",
        "epsilon" -> epsilon.toString,
        "delta" -> delta.toString,
        "rows" -> f"$needed%.0f",
        "limit" -> SampleFamily.Size.greatest.toLong.toString
      )
  }
}
