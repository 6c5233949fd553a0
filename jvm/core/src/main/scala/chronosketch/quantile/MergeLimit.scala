package chronosketch.quantile

import chronosketch.counted.{Share, SortedKeys}

/** Which sketches that are merged in are inserted, how many tuples of others wait, and how far may a union be thinned?
  *
  * Guarantee  g + Δ ≤ 2εn, whatever is dropped
  * Cost       what a union has used of 2εn is gone for those that it will be merged into: three fifths of what is left are spent where
  *            one is finished, so that a few levels of stored unions are small and many still fit
  */
private[chronosketch] object MergeLimit {

  /** Unions of fewer tuples times ε are left as they are. */
  private val Most = 8

  /** Tuples times ε where more sketches are known to come, and those of a finished union: the first that is to be had cheaply. */
  private val OnTheWay = Seq(4.0)
  private val AtLast = Seq(2.8, 3.0, 4.0, 6.0)

  /** Whether so few tuples, if they are exact, are inserted rather than united: that beats a pass over the tuples of another. */
  def isSmall(epsilon: Double, tuples: Int): Boolean =
    tuples <= BagLimit.sorted(epsilon, tuples) / 8

  /** The same of the tuples that tell n keys in order: two of each key at most. */
  def isSmall(epsilon: Double, keys: Array[Long], n: Int): Boolean =
    isSmall(epsilon, new SortedKeys(keys, n).onceOrTwice.toInt)

  def mostInserted(epsilon: Double): Int = BagLimit.sorted(epsilon, 1) / 8

  /** Whether exact tuples are inserted rather than united: where they are few, or stand for few elements. What is inserted uses
    * nothing of what merging may.
    */
  def isInserted(epsilon: Double, tuples: Tuples): Boolean =
    tuples.count <= BagLimit.mostSettled(epsilon) || isSmall(epsilon, tuples.size)

  /** How many tuples wait at most until they are united: more is no gain, and takes memory. */
  def mostWaiting(epsilon: Double): Int =
    math.min(1 << 20, math.max(1024, 2 * BagLimit.mostSettled(epsilon)))

  def isLarge(union: TupleScratch, epsilon: Double): Boolean = union.length > Most / epsilon

  /** Thins a union that more will be united with or inserted into, where it is large; true where it was. */
  def thinOnTheWay(union: TupleScratch, epsilon: Double, count: Long): Boolean = isLarge(union, epsilon) && {
    thin(union, epsilon, count, OnTheWay)
    true
  }

  /** Thins a union that is asked or stored, where it is large, or was on the way: what is left then only passes. True where it was. */
  def thinAtLast(union: TupleScratch, epsilon: Double, count: Long, isPassing: Boolean): Boolean =
    (isLarge(union, epsilon) || (isPassing && union.length > AtLast.head / epsilon)) && {
      thin(union, epsilon, count, AtLast)
      true
    }

  /** To the first of these sizes for which three fifths of what is left suffice; if there is none, a large union is thinned as far as it must
    * be.
    */
  private def thin(union: TupleScratch, epsilon: Double, count: Long, aims: Seq[Double]): Unit = {
    val used = union.largest
    val spent = spending(used, epsilon, count)
    aims.map(aim => (aim / epsilon).toInt).find(union.leaves(_, spent)) match {
      case Some(aim) => union.dropTo(aim, spent, 0L)
      // once: what a first drop leaves fits a second one badly
      case None => if (isLarge(union, epsilon)) union.dropTo((Most / epsilon).toInt, most(epsilon, count), 0L)
    }
  }

  /** What g + Δ may be in a finished union of n elements, where it is up to `used` before anything is dropped. */
  def spending(used: Long, epsilon: Double, count: Long): Long =
    used + math.max(0L, most(epsilon, count) - used) / 5 * 3

  private def most(epsilon: Double, count: Long): Long = Share.of(2 * epsilon, count)
}
