package chronosketch.quantile

/** Decides how many values a sketch's bag holds before they are summarised. Any number keeps the error bound.
  *
  * Cost  8 bytes per value. Many values at once need no sort ([[KeyBlocks]]) and leave fewer tuples
  */
private[quantile] object BagLimit {

  /** Summarising more than a million values at once gains nothing. */
  private val Most = 1 << 20

  /** The first summary is made of FirstFactor/ε values, so that a task that brings a few thousand rows to each group makes no
    * second one.
    */
  private val FirstFactor = 16

  /** A later summary is made of half the number of values in the tuples, up to LastFactor/ε. The fewer summaries are united, the less
    * time a value takes. Half of the values keeps the memory in proportion to the data.
    */
  private val LastFactor = 64

  /** The capacity of the bag of a sketch that has these tuples. */
  def capacity(epsilon: Double, tuples: Tuples): Int =
    if (epsilon == 0.0 || (!tuples.isThinned && !tuples.isEmpty)) exactCapacity(epsilon, tuples.size)
    else {
      var factor = FirstFactor
      while (factor < LastFactor && 2 * (2 * factor) / epsilon <= tuples.count) factor *= 2
      thinnedCapacity(factor, epsilon)
    }

  private def thinnedCapacity(factor: Int, epsilon: Double): Int =
    math.max(256, math.min(factor / epsilon, Most.toDouble).toInt)

  /** The capacity if no tuple may be dropped yet: at least half the number of tuples. Each flush is a pass over all tuples, so a
    * value then costs only a few tuples of that pass, even if there are many.
    */
  def exactCapacity(epsilon: Double, size: Int): Int =
    if (epsilon == 0.0) math.max(1024, math.min(size, TupleScratch.MostTuples / 2))
    else {
      var values = math.max(256, math.min(Most.toDouble, 2.0 / epsilon).toInt)
      while (values < size / 2) values *= 2
      values
    }

  /** The most elements that a sketch may keep in a sorted bag without tuples: as many as the tuples that a merge leaves. */
  def mostWithoutTuples(epsilon: Double): Int = math.min(8 / epsilon, Most.toDouble).toInt
}
