package chronosketch.history.span

import chronosketch.rank.Phi

/** Computes by how many ranks a key can miss the φ-quantile of between `minCount` and `maxCount` elements.
  *
  * Guarantee  the same numbers as a [[chronosketch.rank.RankProfile]] of these elements
  * Cost       two divisions, if the last question was about the same φ
  */
private[history] final class QuantileTarget(val phi: Phi, val minCount: Long, val maxCount: Long) {
  private val minRank = phi.rank(minCount)
  private val maxRank = phi.rank(maxCount)

  /** The approximate target rank. */
  def rank: Long = minRank / 2 + maxRank / 2

  /** By how many ranks a key can fall short of the target, if at least `atLeast` elements are not above it. */
  def deficit(atLeast: Long): Long = maxRank - atLeast

  /** By how many ranks a key can exceed the target, if at most `atMost` elements are below it. */
  def excess(atMost: Long): Long =
    atMost + 1 - (if (atMost <= minCount) minRank else phi.rank(atMost))
}
