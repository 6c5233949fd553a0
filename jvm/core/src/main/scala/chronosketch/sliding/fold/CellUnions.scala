package chronosketch.sliding.fold

import chronosketch.quantile.GreenwaldKhanna
import chronosketch.sliding.Frames
import chronosketch.summary.Summary

/** What do the stored sketches that a row sees make together? Of quantile sketches whose unions would have to be thinned, ranks at the
  * bounds of a [[CellGrid]] are added up instead; all others are merged by [[Folds]].
  *
  * Guarantee  a row's union keeps its certificate, as merging does. Where the cells no longer fit, the row's sketches are merged, and
  *            cells are made of that
  * Cost       a few additions a cell and row, where [[Folds]] unites and thins thousands of tuples several times
  */
final class CellUnions extends Folding[Summary] {
  import CellUnions._

  private val folds = new Folds[Summary]
  private val cells = new Folds[CellRanks]
  private var frames: Frames = _
  private var fold: Fold[Summary] = _
  private var row = 0
  private var seen: Summary = null

  // null while rows are merged by folding
  private var grid: CellGrid = null
  private var grids, added = 0

  def begin(frames: Frames, fold: Fold[Summary]): Unit = {
    end()
    this.frames = frames
    this.fold = fold
    row = 0
    grids = 0
    added = 0
    folds.begin(frames, fold)
  }

  def next(): Summary = {
    val at = row
    row += 1
    if (grid == null) {
      seen = folds.next()
      if (isWorthCells(at)) start()
    } else {
      val ranks = cells.next()
      if (!frames.isRepeated(at)) seen = if (ranks == null) null else united(ranks, at)
    }
    seen
  }

  private def united(ranks: CellRanks, at: Int): Summary = {
    val union = grid.unionOf(ranks)
    if (union != null) {
      added += 1
      union
    } else {
      seen = merged(frames.from(at), frames.until(at))
      if (isWorthCells(at)) start()
      else {
        grid = null
        cells.end()
        folds.begin(frames.after(row), fold)
      }
      seen
    }
  }

  private def merged(from: Int, until: Int): Summary = {
    var union = fold.element(from)
    var i = from + 1
    while (i < until) {
      union = fold.merge(union, fold.element(i))
      i += 1
    }
    union
  }

  /** Whether the rows to come are likely to be quicker with cells that are made of what this row sees: cells that soon no longer
    * fit, again and again, cost more than they save.
    */
  private def isWorthCells(at: Int): Boolean =
    frames.until(at) - frames.from(at) >= FewestElements && frames.rows - row >= FewestRows &&
      (grids - FreeGrids).toLong * FewestRows <= added && (seen match {
        case sketch: GreenwaldKhanna => isThinned(sketch)
        case _ => false
      })

  // of fewer elements all may be kept one by one, and must not be summarised for being looked at
  private def isThinned(sketch: GreenwaldKhanna): Boolean =
    sketch.count * sketch.epsilon > FewestTimes && sketch.tuples > 2 / sketch.epsilon &&
      sketch.summarised.isThinned

  private def start(): Unit = {
    folds.end()
    grids += 1
    grid = new CellGrid(seen.asInstanceOf[GreenwaldKhanna])
    cells.begin(frames.after(row), new CellFold(grid, fold))
  }

  def at: Int = row

  def end(): Unit = {
    folds.end()
    cells.end()
    grid = null
    seen = null
  }

  /** How many rows had their ranks added up, for tests. */
  private[chronosketch] def rowsAdded: Int = added
}

private object CellUnions {

  /** A grid costs about as much as folding so many rows; merging fewer sketches is quick. */
  private val FewestRows = 16
  private val FewestElements = 8
  private val FewestTimes = 16

  /** Cells that are made of the first sketches fit badly: a frame that grows has better ones later. */
  private val FreeGrids = 4

  private final class CellFold(grid: CellGrid, fold: Fold[Summary]) extends Fold[CellRanks] {
    def element(i: Int): CellRanks = grid.ranksOf(fold.element(i))
    def copy(joint: CellRanks): CellRanks = joint.copy
    def merge(older: CellRanks, newer: CellRanks): CellRanks = {
      older.add(newer)
      older
    }
  }
}
