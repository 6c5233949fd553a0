package chronosketch.quantile

import chronosketch.counted.{ElementCount, SortedKeys}

/** Decides how far the tuples of merged sketches are thinned.
  *
  * Guarantee  the tolerance is kept, whatever is dropped
  * Cost       what a union has used of the tolerance is not available to the sketches that it is merged into later. So a finished
  *            union uses only three fifths of the rest: a few levels of stored unions stay small, and many levels still fit
  *
  * @param isFinal
  *   whether no more merges are expected
  */
private[chronosketch] final class MergeLimit private (val isFinal: Boolean) {

  /** Whether a union has to be thinned: if it is large, or if it was thinned while merging and so not as far as a finished one. */
  private[quantile] def isExceeded(
      union: UnitedTuples,
      tolerance: Tolerance,
      count: Long,
      wasThinned: Boolean
  ): Boolean =
    MergeLimit.isLarge(union, tolerance, count) ||
      (isFinal && wasThinned && union.length > tolerance.tuples(targets(tolerance).head, count))

  /** Thins a union to the first target that can be reached with three fifths of the unused limit. If there is none, a large union is
    * thinned until it is no longer large, with the whole limit if necessary.
    */
  private[quantile] def thin(union: UnitedTuples, tolerance: Tolerance, count: Long): Unit = {
    val thinning = tolerance.thinning(union)
    val limit = MergeLimit.partOfRest(thinning.largest, tolerance.mergeLimit(count))
    targets(tolerance).map(tolerance.tuples(_, count).toInt).find(thinning.leaves(_, limit)) match {
      case Some(target) => thinning.dropTo(target, limit)
      // only one drop: the tuples that a first one leaves fit badly into a second one
      case None =>
        if (MergeLimit.isLarge(union, tolerance, count))
          thinning.dropTo(tolerance.tuples(tolerance.large, count).toInt, tolerance.mergeLimit(count))
    }
  }

  /** The numbers of tuples that thinning aims at. The first one that the limit allows is taken. */
  private def targets(tolerance: Tolerance): Seq[Double] =
    if (isFinal) tolerance.targets else tolerance.targetsWhileMerging
}

/** Decides which merged sketches are inserted, and has the two limits for thinning. */
private[chronosketch] object MergeLimit {

  /** More merges or inserts are expected. */
  val WhileMerging = new MergeLimit(isFinal = false)

  /** The union is queried or stored. */
  val Finished = new MergeLimit(isFinal = true)

  /** Whether a union has enough tuples to be thinned. A union that is not large is not thinned. */
  private[quantile] def isLarge(union: UnitedTuples, tolerance: Tolerance, count: Long): Boolean =
    union.length > tolerance.tuples(tolerance.large, count)

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

  /** Thins a union that will be stored. If drops within the limit of inserts, which a built sketch uses, too, leave at most 2/ε
    * tuples, or as many as a tail needs, it makes all of them. Otherwise it thins to the first target that three fifths of the unused
    * limit allow.
    */
  private[quantile] def compact(union: UnitedTuples, tolerance: Tolerance, count: Long): Unit = {
    val thinning = tolerance.thinning(union)
    val ofBuilt = tolerance.insertLimit(count)
    val targets = tolerance.compactTargets.map(tolerance.tuples(_, count).toInt)
    val limit = math.max(ofBuilt, partOfRest(thinning.largest, tolerance.mergeLimit(count)))
    if (thinning.leaves(tolerance.tuples(2.0, count).toInt, ofBuilt)) thinning.drop(ofBuilt, DenseGaps.none)
    else
      targets.find(thinning.leaves(_, limit)) match {
        case Some(target) => thinning.dropTo(target, limit)
        case None => thinning.drop(ofBuilt, DenseGaps.none)
      }
  }

  /** The limit of g + Δ in a finished union of n elements, if the largest g + Δ before any drop is `used`. */
  def finishedLimit(used: Long, epsilon: Double, count: Long): Long =
    partOfRest(used, ElementCount.share(2 * epsilon, count))

  private def partOfRest(used: Long, most: Long): Long = used + math.max(0L, most - used) / 5 * 3
}
