package chronosketch.sliding.fold

import chronosketch.quantile.GreenwaldKhanna
import chronosketch.sliding.Frames
import chronosketch.summary.Summary

/** What do the stored sketches that a row sees make together? Of quantile sketches whose unions have to be thinned, ranks at the
  * bounds of a [[CellGrid]] are added up; all others are merged by [[Folds]].
  *
  * Guarantee  a row's union keeps its certificate, as merging does. Where the cells no longer fit, the row's sketches are merged, and
  *            new cells are made of that if they are paid for
  * Cost       a few additions a cell and row, and a pass over the cells two or three times for each element, where [[Folds]] unites and
  *            thins thousands of tuples. A grid looks at all elements of a frame a few times. The rows so far limit how many grids
  *            there are: at worst a row costs a few elements more than with [[Folds]]
  * Memory     three longs a cell for each joint that [[Folds]] would keep, up to 128 MiB. Where it would be more, [[Folds]] serves
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
  private var spent, added = 0L
  private var longest = 0

  def begin(frames: Frames, fold: Fold[Summary]): Unit = {
    end()
    this.frames = frames
    this.fold = fold
    row = 0
    // what the first row sees is opened in any case
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
      seen = folds.next()
      if (isWorthCells(from, until)) startCells()
    } else {
      val ranks = cells.next()
      if (from == until) seen = null
      else if (!frames.isRepeated(row)) united(ranks, from, until)
    }
    row += 1
    seen
  }

  private def united(ranks: CellRanks, from: Int, until: Int): Unit = {
    val union = if (until - from < FewestElements) null else grid.unionOf(ranks)
    if (union != null) {
      added += 1
      seen = union
    } else {
      seen = merged(from, until)
      // where sketches of two kinds meet, they do so in the next row, too
      if (ranks.isKnown && isWorthCells(from, until)) startCells() else stopCells()
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

  /** Whether the next rows are likely to be quicker with cells that are made of what this row sees. */
  private def isWorthCells(from: Int, until: Int): Boolean = {
    val elements = until - from
    elements >= FewestElements && isPaid(Price * elements) && (seen match {
      case sketch: GreenwaldKhanna => isThinned(sketch) && fits(sketch)
      case _ => false
    })
  }

  /** Whether the rows so far have earned a grid, the rows to come are worth it, and few elements come with each of them: an element
    * that comes costs a pass over all cells, however few values it has.
    */
  private def isPaid(price: Long): Boolean = {
    val rest = frames.rows - 1 - row
    val coming = frames.until(frames.rows - 1) - frames.until(row)
    spent + price <= Free + Earned * row && price <= 2 * Earned * rest && coming <= MostComing.toLong * rest
  }

  // of fewer elements all may be kept one by one, and must not be summarised for being looked at
  private def isThinned(sketch: GreenwaldKhanna): Boolean =
    sketch.count * sketch.epsilon > FewestTimes && sketch.tuples > 2 / sketch.epsilon &&
      sketch.summarised.isThinned

  private def fits(sketch: GreenwaldKhanna): Boolean =
    BytesACell * sketch.tuples * Folds.mostAlive(longest) <= MostBytes

  private def startCells(): Unit = {
    folds.end()
    spent += Price * (frames.until(row) - frames.from(row))
    grid = new CellGrid(seen.asInstanceOf[GreenwaldKhanna])
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
    seen = null
    fold = null
  }

  /** How many rows had their ranks added up, for tests. */
  private[chronosketch] def rowsAdded: Long = added
}

private object CellUnions {

  /** Fewer sketches are merged quickly. So are sketches of fewer values than this, divided by ε. */
  private val FewestElements = 8
  private val FewestTimes = 16

  /** How often a grid looks at each element of a frame: it is merged, its ranks are taken for the next rows, and again where these turn,
    * and it is opened once more where the grid is given up.
    */
  private val Price = 4L

  /** A row earns looks at so many elements. Looks at so many are free in each run of rows, beside those of its first frame. */
  private val Earned = 4L
  private val Free = 512L

  /** So many elements may come with a row on the mean. */
  private val MostComing = 4

  private val BytesACell = 24L
  private val MostBytes = 1L << 27

  private final class CellFold(grid: CellGrid, fold: Fold[Summary]) extends Fold[CellRanks] {
    def element(i: Int): CellRanks = grid.ranksOf(fold.element(i))
    def copy(joint: CellRanks): CellRanks = joint.copy
    def merge(older: CellRanks, newer: CellRanks): CellRanks = {
      older.add(newer)
      older
    }
  }
}
