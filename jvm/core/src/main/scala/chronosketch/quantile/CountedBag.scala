package chronosketch.quantile

import chronosketch.memory.Metered

/** Which values came that no tuple has yet, and how many more came into which cells?
  *
  * Guarantee  every value is kept in the bag, or counted in cells that keep the certificate ([[CellCounts]])
  * Cost       that of [[Bag]]; a full bag is counted in a few instructions a value, where values lie as those before did
  * Merge      none: what is counted goes into the tuples first
  */
private[chronosketch] abstract class CountedBag extends Bag with Metered {

  // null unless many values have come since the tuples were made
  private var cells: CellCounts = null

  // cells that did not serve are tried again when so many have been summarised
  private var cellsFrom = 0L

  /** So many of the first in the bag are outside of the cells. */
  protected var outside = 0

  def epsilon: Double
  private[chronosketch] def summarised: Tuples
  protected def flushBag(): Unit
  protected def take(union: TupleScratch): Unit

  /** How many values are counted in cells. */
  protected def inCells: Long = if (cells == null) 0L else cells.count

  protected def cellBytes: Long = if (cells == null) 0L else cells.sizeBytes

  /** Counts the values of the bag in cells, where that serves; true where the bag has room then. */
  protected def countBag(): Boolean = {
    val isTime = cells == null && summarised.count >= cellsFrom
    if (isTime && CellCounts.isWorth(epsilon, summarised, bagSize)) {
      cells = CellCounts.within(summarised, bagKeys, bagSize, epsilon)
      if (cells == null) waitForCells() else report()
    }
    cells != null && {
      val fresh = bagSize - outside
      val more = cells.add(bagKeys, outside, bagSize, TupleScratch.own.outsideFor(fresh), epsilon)
      if (more >= 0) {
        outside += more
        bagSize = outside
      }
      if (more < 0 || more > fresh / 2) giveCellsUp()
      else if (outside > bagKeys.length / 2) flushBag()
      !isFull
    }
  }

  /** Those that served for more than half of all values are tried again at once; others cost too much to be tried often. */
  private def giveCellsUp(): Unit = {
    val served = cells.count
    outside = 0
    flushCells()
    if (served <= summarised.count / 2) waitForCells()
  }

  private def waitForCells(): Unit = cellsFrom = 4 * summarised.count

  /** What was counted in cells is in the tuples. */
  protected def flushCells(): Unit = if (cells != null) {
    if (cells.count > 0) {
      val union = TupleScratch.own
      union.combineWithin(summarised, cells.tuples(epsilon))
      summarised.count += cells.count
      take(union)
    }
    cells = null
    report()
  }
}
