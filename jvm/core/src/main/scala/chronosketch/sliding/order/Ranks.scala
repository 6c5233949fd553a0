package chronosketch.sliding.order

import chronosketch.rank.Phi

/** Which ranks are asked of a frame? Answered once for each number of elements, not once a row. */
trait Ranks extends Serializable {

  /** How many ranks are asked. */
  def count: Int

  /** The ranks asked of n ≥ 1 elements, counted from 1 and at most n, in any order. */
  def of(n: Int, into: Array[Int]): Unit
}

object Ranks {

  /** Those of the φ-quantiles. */
  def apply(phis: Phi*): Ranks = new Ranks {
    private val each = phis.toArray
    def count: Int = each.length
    def of(n: Int, into: Array[Int]): Unit = {
      var i = 0
      while (i < each.length) {
        into(i) = each(i).rank(n.toLong).toInt
        i += 1
      }
    }
  }
}
