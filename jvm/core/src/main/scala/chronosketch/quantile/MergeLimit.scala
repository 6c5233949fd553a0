package chronosketch.quantile

import chronosketch.counted.{ElementCount, SortedKeys}

/** Decides which merged sketches are inserted, how many of their tuples wait, and how many tuples of a union are dropped.
  *
  * Guarantee  g + Δ ≤ 2εn, whatever is dropped
  * Cost       what a union has used of the limit 2εn is not available to the sketches that it is merged into later. So a finished
  *            union uses only three fifths of the rest: a few levels of stored unions stay small, and many levels still fit
  */
private[chronosketch] object MergeLimit {

  /** A union is large if it has more than LargeFactor/ε tuples. A union that is not large is not thinned. */
  private val LargeFactor = 8

  /** The numbers of tuples, times ε, to which a union is thinned while more merges are expected, and when it is finished. The first
    * number that the limit allows is taken.
    */
  private val TargetsWhileMerging = Seq(4.0)
  private val TargetsWhenFinished = Seq(2.8, 3.0, 4.0, 6.0)

  /** Whether exact tuples are so few that they are inserted instead of united: that is cheaper than a pass over the other tuples. */
  def isSmall(epsilon: Double, tuples: Int): Boolean =
    tuples <= BagLimit.exactCapacity(epsilon, tuples) / 8

  /** [[isSmall]] for the exact tuples of n sorted keys: at most two per distinct key. */
  def isSmall(epsilon: Double, keys: Array[Long], n: Int): Boolean =
    isSmall(epsilon, new SortedKeys(keys, n).exactTuples.toInt)

  def mostInserted(epsilon: Double): Int = BagLimit.exactCapacity(epsilon, 1) / 8

  /** Whether exact tuples are inserted instead of united: if they are few, or represent few elements. Inserting uses nothing of the
    * part of the limit that is reserved for merging.
    */
  def isInserted(epsilon: Double, tuples: Tuples): Boolean =
    tuples.count <= BagLimit.mostWithoutTuples(epsilon) || isSmall(epsilon, tuples.size)

  /** The most tuples that wait to be united. More would take memory and gain nothing. */
  def mostWaiting(epsilon: Double): Int =
    math.min(1 << 20, math.max(1024, 2 * BagLimit.mostWithoutTuples(epsilon)))

  def isLarge(union: TupleScratch, epsilon: Double): Boolean = union.length > LargeFactor / epsilon

  /** Thins a union if it is large; more merges or inserts are expected. Returns whether it was large. */
  def thinWhileMerging(union: TupleScratch, epsilon: Double, count: Long): Boolean =
    isLarge(union, epsilon) && {
      thin(union, epsilon, count, TargetsWhileMerging)
      true
    }

  /** Thins a union that is queried or stored, if it is large, or if it was thinned while merging and so not as far as a finished one.
    * Returns whether it was thinned.
    */
  def thinWhenFinished(
      union: TupleScratch,
      epsilon: Double,
      count: Long,
      wasThinnedWhileMerging: Boolean
  ): Boolean =
    (isLarge(union, epsilon) ||
      (wasThinnedWhileMerging && union.length > TargetsWhenFinished.head / epsilon)) && {
      thin(union, epsilon, count, TargetsWhenFinished)
      true
    }

  /** Thins a union to the first target that can be reached with three fifths of the unused limit. If there is none, a large union is
    * thinned until it is no longer large, with the whole limit if necessary.
    */
  private def thin(union: TupleScratch, epsilon: Double, count: Long, targets: Seq[Double]): Unit = {
    val used = union.largest
    val limit = finishedLimit(used, epsilon, count)
    targets.map(target => (target / epsilon).toInt).find(union.leaves(_, limit)) match {
      case Some(target) => union.dropTo(target, limit, 0L)
      // only one drop: the tuples that a first one leaves fit badly into a second one
      case None =>
        if (isLarge(union, epsilon)) union.dropTo((LargeFactor / epsilon).toInt, most(epsilon, count), 0L)
    }
  }

  /** The limit of g + Δ in a finished union of n elements, if the largest g + Δ before any drop is `used`. */
  def finishedLimit(used: Long, epsilon: Double, count: Long): Long =
    used + math.max(0L, most(epsilon, count) - used) / 5 * 3

  private def most(epsilon: Double, count: Long): Long = ElementCount.share(2 * epsilon, count)
}
