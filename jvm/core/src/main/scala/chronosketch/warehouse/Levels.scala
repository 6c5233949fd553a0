package chronosketch.warehouse

/** Which runs are merged next, so that there are few?
  *
  * Guarantee  where nothing is due, no level has more than κ runs: κ·log_κ(steps) in all
  * Cost       a key is written again once a level
  * Source     Singh et al., HistStream, VLDB 2016, §2.2 (Algorithm 3)
  */
object Levels {

  /** The places of the runs to be merged, and the level that the merged run has; `levels` are those of all runs. */
  def due(levels: IndexedSeq[Int], kappa: Int): Option[(Seq[Int], Int)] =
    levels.indices.groupBy(levels).toSeq.sortBy(_._1).collectFirst {
      case (level, runs) if runs.size > kappa => (runs, level + 1)
    }
}
