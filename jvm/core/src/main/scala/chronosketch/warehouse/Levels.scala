package chronosketch.warehouse

/** Decides which runs to merge next, to keep their number small.
  *
  * Guarantee  when no merge is due, no level has more than κ runs, which is κ·log_κ(steps) in total
  * Cost       each key is rewritten once per level
  * Source     Singh et al., HistStream, VLDB 2016, §2.2 (Algorithm 3)
  */
object Levels {

  /** The indexes of the runs to merge and the level of the merged run, given the levels of all runs. Runs between those of a level are
    * merged with them, because only neighbours can be merged. There are none while levels never rise from older to newer runs.
    */
  def nextMerge(levels: IndexedSeq[Int], kappa: Int): Option[(Seq[Int], Int)] =
    levels.indices.groupBy(levels).toSeq.sortBy(_._1).collectFirst {
      case (level, runs) if runs.size > kappa =>
        val neighbours = runs.head to runs.last
        (neighbours, math.max(level + 1, neighbours.map(levels).max))
    }
}
