package chronosketch.history.span

/** Arranges cells in a tree of blocks.
  *
  * Guarantee  a block of level l has up to `fanout` blocks of level l + 1; a block of the last level has cells; level 0 is one block of
  *            all cells
  * Cost       a change touches fewer than height·fanout counters, half of them on average
  *
  * The boundary before cell g, 0 < g < cells, is inside exactly one block. Its counter counts the elements between the beginning of that
  * block and the boundary. So the rank of a boundary is the sum of at most `height` counters.
  */
private[history] final class CellBlocks(val cells: Int, val fanout: Int, val height: Int) {

  /** The number of cells in a child of a block, by the block's level. */
  private val units: Array[Int] = {
    val all = new Array[Int](height)
    var unit = 1L
    var level = height - 1
    while (level >= 0) { all(level) = unit.toInt; unit *= fanout; level -= 1 }
    all
  }

  def unit(level: Int): Int = units(level)

  /** The end (exclusive) of the block of a level that begins with cell `from`. */
  def end(level: Int, from: Int): Int =
    math.min(from.toLong + units(level).toLong * fanout, cells.toLong).toInt

  /** The first cell of the block of a level that contains a cell. */
  def start(level: Int, cell: Int): Int =
    if (level == 0) 0 else cell - cell % units(level - 1)

  /** The first cell of the block that a boundary is inside. */
  def startOf(boundary: Int): Int = {
    var level = 0
    while (boundary % units(level) != 0) level += 1
    start(level, boundary)
  }
}

private[history] object CellBlocks {

  /** The approximate number of children of a block. With fewer there are more levels, whose errors add up; with more a change touches more
    * counters.
    */
  private val Children = 10.0

  def of(cells: Int): CellBlocks = {
    val height = math.max(1, math.round(math.log(cells.toDouble) / math.log(Children)).toInt)
    var fanout = math.max(2, math.pow(cells.toDouble, 1.0 / height).toInt)
    while (math.pow(fanout.toDouble, height.toDouble) < cells) fanout += 1
    new CellBlocks(cells, fanout, height)
  }
}
