package chronosketch.history.span

/** How do cells make blocks, and blocks greater ones?
  *
  * Guarantee  a block of level l has up to `fanout` blocks of level l + 1; those of the last level, cells; that of level 0, all
  * Cost       a change touches less than height·fanout counters, half of them on average
  *
  * The boundary before cell g, 0 < g < cells, is inside of just one block: its counter counts what is between the beginning of that
  * block and the boundary. So a boundary's rank is the sum of at most `height` counters.
  */
private[history] final class CellBlocks(val cells: Int, val fanout: Int, val height: Int) {

  /** Cells in a child of a block, by the block's level. */
  private val units: Array[Int] = {
    val all = new Array[Int](height)
    var unit = 1L
    var level = height - 1
    while (level >= 0) { all(level) = unit.toInt; unit *= fanout; level -= 1 }
    all
  }

  def unit(level: Int): Int = units(level)

  /** The cell after the last of a block that begins with this cell. */
  def end(level: Int, from: Int): Int =
    math.min(from.toLong + units(level).toLong * fanout, cells.toLong).toInt

  /** The first cell of the block of a level that a cell is in. */
  def start(level: Int, cell: Int): Int =
    if (level == 0) 0 else cell - cell % units(level - 1)

  /** The first cell of the block that a boundary is inside of. */
  def startOf(boundary: Int): Int = {
    var level = 0
    while (boundary % units(level) != 0) level += 1
    start(level, boundary)
  }
}

private[history] object CellBlocks {

  /** The children that a block has, about: fewer make more levels, whose errors add up; with more of them a change touches more. */
  private val Children = 10.0

  def of(cells: Int): CellBlocks = {
    val height = math.max(1, math.round(math.log(cells.toDouble) / math.log(Children)).toInt)
    var fanout = math.max(2, math.pow(cells.toDouble, 1.0 / height).toInt)
    while (math.pow(fanout.toDouble, height.toDouble) < cells) fanout += 1
    new CellBlocks(cells, fanout, height)
  }
}
