package chronosketch.quantile

/** How many values wait in a sketch's bag until they are summarised?
  *
  * Guarantee  none: any number keeps the error
  * Cost       8 bytes a value. Values that are many at once need no sort ([[KeyBlocks]]), and leave fewer tuples
  */
private[quantile] object BagLimit {

  /** More than a million values at once are no gain. */
  private val Most = 1 << 20

  /** The first summary is made of so many values times ε: tasks that bring a few thousand rows to each group make no second one. */
  private val First = 16

  /** Later ones are made of half of what was seen, up to so many: the fewer summaries are united, the less a value takes, and the room
    * is no more than what was seen explains.
    */
  private val Later = 64

  /** Of one that has these tuples. */
  def of(epsilon: Double, tuples: Tuples): Int =
    if (epsilon == 0.0 || (!tuples.isThinned && !tuples.isEmpty)) sorted(epsilon, tuples.size)
    else {
      var times = First
      while (times < Later && 2 * (2 * times) / epsilon <= tuples.count) times *= 2
      waiting(times, epsilon)
    }

  private def waiting(times: Int, epsilon: Double): Int =
    math.max(256, math.min(times / epsilon, Most.toDouble).toInt)

  /** Values that are sorted in at once, where nothing may be dropped: as many as there are tuples, or half of that, so that a value
    * costs no more than a few tuples of the pass over all of them, even where they are many.
    */
  def sorted(epsilon: Double, size: Int): Int =
    if (epsilon == 0.0) math.max(1024, math.min(size, TupleScratch.MostTuples / 2))
    else {
      var values = math.max(256, math.min(Most.toDouble, 2.0 / epsilon).toInt)
      while (values < size / 2) values *= 2
      values
    }

  /** How many elements a bag may have that is held without tuples: as many tuples as a merge leaves. */
  def mostSettled(epsilon: Double): Int = math.min(8 / epsilon, Most.toDouble).toInt
}
