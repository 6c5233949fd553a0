package chronosketch.sliding.sampled

import chronosketch.sample.SampleSize

/** Computes how many elements a sample of a frame needs, and how precise its ranks are.
  *
  * Guarantee  for k of n elements, drawn uniformly without replacement, with probability ≥ 1 − δ: the ranks of all quantiles of
  *            the sample, for all φ at once, are wrong by at most ⌈[[band]]·n⌉ among the n
  * Units      shares of the elements
  * Source     Dvoretzky, Kiefer and Wolfowitz 1956 with Massart's constant 1990; Hoeffding, Probability inequalities for sums of
  *            bounded random variables, 1963, §6 (docs/algorithms.md, Sampled frames); the size: Meijer 2011, §4.5
  */
object FrameSampleSize {

  /** The size from the literature: ⌈ε⁻²·ln(1/(εδ))⌉. */
  def of(epsilon: Double, delta: Double): Long =
    math.ceil(SampleSize.rows(epsilon, delta)).toLong

  /** √(ln(8/δ)/(2k)), at most 1; 0 if the sample contains all elements. */
  def band(size: Long, elements: Long, delta: Double): Double =
    if (size == elements) 0.0
    else if (size == 0) 1.0
    else math.min(1.0, SampleSize.width(size, delta))

  /** The size from the literature, at least 1, at most `capacity`, and small enough for an array. */
  private[sampled] def within(capacity: Long, epsilon: Double, delta: Double): Int =
    math.max(1L, math.min(math.min(capacity, of(epsilon, delta)), 1L << 28)).toInt
}
