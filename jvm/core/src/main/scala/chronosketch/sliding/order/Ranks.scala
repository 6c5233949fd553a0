package chronosketch.sliding.order

import chronosketch.rank.Phi

/** The ranks to find in a frame. They depend only on the number of elements, so they are computed once per number and not once
  * per row.
  */
trait Ranks extends Serializable {

  /** Number of ranks. */
  def count: Int

  /** Writes the ranks for n ≥ 1 elements: numbers from 1 to n, in any order. */
  def of(n: Int, into: Array[Int]): Unit
}

object Ranks {

  /** The ranks of the φ-quantiles. */
  def apply(phis: Phi*): Ranks = new Ranks {
    private val phiArray = phis.toArray
    def count: Int = phiArray.length
    def of(n: Int, into: Array[Int]): Unit = {
      var i = 0
      while (i < phiArray.length) {
        into(i) = phiArray(i).rank(n.toLong).toInt
        i += 1
      }
    }
  }
}
