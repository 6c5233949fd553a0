package chronosketch.sliding.fold

import chronosketch.quantile.GreenwaldKhanna
import chronosketch.sliding.Frames
import chronosketch.summary.Summary

/** Computes the union of the stored sketches in every row's frame. Quantile sketches whose unions have to be thinned are united
  * by adding their ranks at the bounds of a [[CellGrid]]; all others are merged by [[TwoStacks]].
  *
  * Guarantee  a row's union keeps the certificate that merging would give. If the cells no longer fit, the row's sketches are
  *            merged, and a new grid is built from the result if the budget allows
  * Cost       a few additions per cell and row, and two or three passes over the cells per element, where [[TwoStacks]] merges and
  *            thins thousands of tuples. Building a grid visits all elements of a frame a few times. The rows so far limit the
  *            number of grids: in the worst case a row costs a few elements more than with [[TwoStacks]]
  * Memory     three longs per cell for each partial aggregate that [[TwoStacks]] would keep, up to 128 MiB. Beyond that [[TwoStacks]] is
  *            used
  */
final class CellUnions extends Folding[Summary] {
  import CellUnions._

  private val folds = new TwoStacks[Summary]
  private val cells = new TwoStacks[CellRanks]
  private var frames: Frames = _
  private var fold: Fold[Summary] = _
  private var row = 0
  private var current: Summary = null

  // null while rows are merged by `folds`
  private var grid: CellGrid = null
  private var spent, added = 0L
  private var longest = 0

  def begin(frames: Frames, fold: Fold[Summary]): Unit = {
    end()
    this.frames = frames
    this.fold = fold
    row = 0
    // the first frame has to be read in any case
    spent = if (frames.rows == 0) 0L else -Price * (frames.until(0) - frames.from(0))
    added = 0L
    longest = 0
    var i = 0
    while (i < frames.rows) {
      longest = math.max(longest, frames.until(i) - frames.from(i))
      i += 1
    }
    folds.begin(frames, fold)
  }

  def next(): Summary = {
    val from = frames.from(row)
    val until = frames.until(row)
    if (grid == null) {
      current = folds.next()
      if (isWorthCells(from, until)) startCells()
    } else {
      val ranks = cells.next()
      if (from == until) current = null
      else if (!frames.isRepeated(row)) uniteByRanks(ranks, from, until)
    }
    row += 1
    current
  }

  private def uniteByRanks(ranks: CellRanks, from: Int, until: Int): Unit = {
    val union = if (until - from < FewestElements) null else grid.unionOf(ranks)
    if (union != null) {
      added += 1
      current = union
    } else {
      current = mergeElements(from, until)
      // if the sketches are of different kinds, they will be in the next row as well
      if (ranks.isKnown && isWorthCells(from, until)) startCells() else stopCells()
    }
  }

  private def mergeElements(from: Int, until: Int): Summary = {
    var union = fold.element(from)
    var i = from + 1
    while (i < until) {
      union = fold.merge(union, fold.element(i))
      i += 1
    }
    union
  }

  /** Whether the next rows are likely to be faster with cells built from this row's union. */
  private def isWorthCells(from: Int, until: Int): Boolean = {
    val elements = until - from
    elements >= FewestElements && isAffordable(Price * elements) && (current match {
      // cells bound a union's error at all ranks alike, which a tail does not allow
      case sketch: GreenwaldKhanna => sketch.family.tail.isEmpty && isThinned(sketch) && fits(sketch)
      case _ => false
    })
  }

  /** Whether the rows so far have earned a grid, the remaining rows are worth it, and few elements arrive with each of them. An
    * element that arrives costs a pass over all cells, however few values it has.
    */
  private def isAffordable(price: Long): Boolean = {
    val rest = frames.rows - 1 - row
    val coming = frames.until(frames.rows - 1) - frames.until(row)
    spent + price <= Free + Earned * row && price <= 2 * Earned * rest && coming <= MostComing.toLong * rest
  }

  // a sketch of fewer elements may still store them one by one, and must not be summarised just because we look at it
  private def isThinned(sketch: GreenwaldKhanna): Boolean =
    sketch.count * sketch.epsilon > FewestTimes && sketch.tuples > 2 / sketch.epsilon &&
      sketch.summarised.isThinned

  private def fits(sketch: GreenwaldKhanna): Boolean =
    BytesACell * sketch.tuples * TwoStacks.mostAlive(longest) <= MostBytes

  private def startCells(): Unit = {
    folds.end()
    spent += Price * (frames.until(row) - frames.from(row))
    grid = new CellGrid(current.asInstanceOf[GreenwaldKhanna])
    cells.beginAt(row + 1, frames, new CellFold(grid, fold))
  }

  private def stopCells(): Unit = {
    cells.end()
    grid = null
    folds.beginAt(row + 1, frames, fold)
  }

  def at: Int = row

  def end(): Unit = {
    folds.end()
    cells.end()
    grid = null
    current = null
    fold = null
  }

  def fills: Long = folds.fills + cells.fills

  def heldBytes(sizeOf: Summary => Long): Long =
    if (grid == null) folds.heldBytes(sizeOf) else grid.sizeBytes + cells.heldBytes(_.sizeBytes)

  /** Number of rows whose ranks were added up, for tests. */
  private[chronosketch] def rowsAdded: Long = added
}

private object CellUnions {

  /** Fewer sketches than this are merged quickly, and so are sketches of fewer than FewestTimes/ε values. */
  private val FewestElements = 8
  private val FewestTimes = 16

  /** How often a grid visits each element of a frame: once for merging, once for its ranks, once more when the block becomes the
    * older one, and once for reading it again if the grid is given up.
    */
  private val Price = 4L

  /** A row earns this many element visits. Each run of rows has `Free` further visits, besides those of its first frame. */
  private val Earned = 4L
  private val Free = 512L

  /** Largest mean number of elements that may arrive per row. */
  private val MostComing = 4

  private val BytesACell = 24L
  private val MostBytes = 1L << 27

  private final class CellFold(grid: CellGrid, fold: Fold[Summary]) extends Fold[CellRanks] {
    def element(i: Int): CellRanks = grid.ranksOf(fold.element(i))
    def copy(ranks: CellRanks): CellRanks = ranks.copy
    def merge(older: CellRanks, newer: CellRanks): CellRanks = {
      older.add(newer)
      older
    }
  }
}
