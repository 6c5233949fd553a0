package chronosketch.sliding.sampled

import chronosketch.sample.SampleSize

/** How many elements does a sample of a frame need, and what does it say about the ranks of all?
  *
  * Guarantee  of k of n elements, drawn uniformly without replacement: with probability ≥ 1 − δ the ranks of every quantile of the
  *            sample, for all φ at once, are wrong by at most ⌈[[band]]·n⌉ among the n
  * Units      shares of the elements
  * Source     Dvoretzky, Kiefer and Wolfowitz 1956 with Massart's constant 1990; Hoeffding, Probability inequalities for sums of
  *            bounded random variables, 1963, §6 (docs/algorithms.md, Sampled frames); the size: Meijer 2011, §4.5
  */
object FrameSampleSize {

  /** That of the literature: ⌈ε⁻²·ln(1/(εδ))⌉. */
  def of(epsilon: Double, delta: Double): Long =
    math.ceil(SampleSize.rows(epsilon, delta)).toLong

  /** √(ln(8/δ)/(2k)), no more than 1; 0 where the sample has all elements. */
  def band(size: Long, elements: Long, delta: Double): Double =
    if (size == elements) 0.0
    else if (size == 0) 1.0
    else math.min(1.0, SampleSize.width(size, delta))

  /** That of a sample of at most so many elements, and a probability above 0: an array must hold it. */
  private[sampled] def within(capacity: Long, epsilon: Double, delta: Double): Int =
    math.max(1L, math.min(math.min(capacity, of(epsilon, delta)), 1L << 28)).toInt
}
