package chronosketch.warehouse

/** Determines which runs a window of the last k steps contains.
  *
  * Guarantee  a window that consists of whole runs is exact; any other cuts one run, of which it is unknown which rows are inside
  * Cost       a pass over the runs
  * Source     Singh et al., HistStream, VLDB 2016, §2.4 (Queries over windows); differs: other windows are answered too, with bounds
  */
object StepWindows {

  /** All k for which the last k steps are whole runs, given the number of steps of each run, newest first. */
  def aligned(steps: Seq[Long]): Seq[Long] = steps.scanLeft(0L)(_ + _).drop(1).filter(_ > 0).distinct

  /** How many of the newest runs are inside the last k steps, and whether the next run is partly inside. */
  def split(steps: Seq[Long], k: Long): (Int, Boolean) = {
    val ends = steps.scanLeft(0L)(_ + _).drop(1)
    val whole = ends.takeWhile(_ <= k).size
    (whole, whole < steps.size && (if (whole == 0) 0L else ends(whole - 1)) < k)
  }
}
