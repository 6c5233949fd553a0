package chronosketch.quantile

import chronosketch.memory.Metered

/** A [[Bag]] that can be emptied by counting its values in cells.
  *
  * Guarantee  every value is in the bag, or counted in cells that keep the certificate ([[CellCounts]])
  * Cost       as [[Bag]]; a full bag is counted in a few instructions per value, if the values are distributed as those before
  * Merge      flush the cells into the tuples first
  */
private[chronosketch] abstract class CountedBag extends Bag with Metered {

  // null while values are not counted in cells
  private var cells: CellCounts = null

  // cells are tried again when the tuples have this many values
  private var retryCellsAt = 0L

  /** The number of values at the beginning of the bag that are outside of the cells' range. */
  protected var outside = 0

  def epsilon: Double
  private[chronosketch] def summarised: Tuples
  protected def flushBag(): Unit
  protected def thinAndAssign(union: TupleScratch): Unit

  /** The number of values that are counted in cells. */
  protected def countInCells: Long = if (cells == null) 0L else cells.count

  protected def cellBytes: Long = if (cells == null) 0L else cells.sizeBytes

  /** Counts the values of the bag in cells, if that pays off. Returns whether the bag has room for more values now. */
  protected def countBag(): Boolean = {
    val mayTry = cells == null && summarised.count >= retryCellsAt
    if (mayTry && CellCounts.isWorthwhile(epsilon, summarised, bagSize)) {
      cells = CellCounts.create(summarised, bagKeys, bagSize, epsilon)
      if (cells == null) postponeCells() else report()
    }
    cells != null && {
      val uncounted = bagSize - outside
      val more = cells.add(bagKeys, outside, bagSize, TupleScratch.own.outsideFor(uncounted), epsilon)
      if (more >= 0) {
        outside += more
        bagSize = outside
      }
      if (more < 0 || more > uncounted / 2) abandonCells()
      else if (outside > bagKeys.length / 2) flushBag()
      !isFull
    }
  }

  /** Flushes the cells. New ones may be made at once if these had counted more than half of all values; otherwise trying often
    * would cost too much.
    */
  private def abandonCells(): Unit = {
    val counted = cells.count
    outside = 0
    flushCells()
    if (counted <= summarised.count / 2) postponeCells()
  }

  private def postponeCells(): Unit = retryCellsAt = 4 * summarised.count

  /** Moves the values that are counted in cells into the tuples. */
  protected def flushCells(): Unit = if (cells != null) {
    if (cells.count > 0) {
      val union = TupleScratch.own
      union.combineWithin(summarised, cells.tuples(epsilon))
      summarised.count += cells.count
      thinAndAssign(union)
    }
    cells = null
    report()
  }
}
