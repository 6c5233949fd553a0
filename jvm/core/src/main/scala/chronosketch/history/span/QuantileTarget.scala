package chronosketch.history.span

import chronosketch.rank.Phi

/** The φ-quantile of between `fewest` and `most` elements: by how many ranks is an answer off?
  *
  * Guarantee  what a [[chronosketch.rank.RankProfile]] of those elements says
  * Cost       two divisions, which the question before has made
  */
private[history] final class Sought(val phi: Phi, val fewest: Long, val most: Long) {
  private val rankOfFewest = phi.rank(fewest)
  private val rankOfMost = phi.rank(most)

  /** About the rank that is sought. */
  def rank: Long = rankOfFewest / 2 + rankOfMost / 2

  /** How many ranks short of the one sought a key can be that has at least so many elements up to it. */
  def deficit(atLeast: Long): Long = rankOfMost - atLeast

  /** How many ranks past the one sought a key can be that has at most so many elements before it. */
  def excess(atMost: Long): Long =
    atMost + 1 - (if (atMost <= fewest) rankOfFewest else phi.rank(atMost))
}
