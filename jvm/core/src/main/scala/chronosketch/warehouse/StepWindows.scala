package chronosketch.warehouse

/** How do the last k steps lie to the runs that hold them?
  *
  * Guarantee  a window that ends with a run is exact; another leaves in doubt how much of one run it has
  * Cost       a look at each run
  * Source     Singh et al., HistStream, VLDB 2016, §2.4 (Queries over windows); departs: other windows are answered too, with bounds
  */
object StepWindows {

  /** Every k for which the last k steps are whole runs; `steps` is how many each run has, newest first. */
  def aligned(steps: Seq[Long]): Seq[Long] = steps.scanLeft(0L)(_ + _).drop(1).filter(_ > 0).distinct

  /** How many of the newest runs lie within the last k steps, and whether the next one does in part. */
  def split(steps: Seq[Long], k: Long): (Int, Boolean) = {
    val ends = steps.scanLeft(0L)(_ + _).drop(1)
    val whole = ends.takeWhile(_ <= k).size
    (whole, whole < steps.size && (if (whole == 0) 0L else ends(whole - 1)) < k)
  }
}
