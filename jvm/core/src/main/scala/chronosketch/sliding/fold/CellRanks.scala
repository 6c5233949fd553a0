package chronosketch.sliding.fold

/** How many elements of some sketches are at most the upper bound of each cell of a grid, and which is the greatest key known up to it?
  *
  * Merge  the sum of the numbers, and the greater of the keys: sketches that are united have the ranks that they have together
  */
private[fold] final class CellRanks(cells: Int) {

  /** Least and greatest number of elements up to the cell's bound. */
  val low, high = new Array[Long](cells)

  /** The greatest key known up to the bound; the least Long where there is none. */
  val last = new Array[Long](cells)

  var minimum: Long = Long.MaxValue
  var count = 0L

  /** Whether all sketches are of the kind that the grid is made for, and their count has 63 bits. */
  var isKnown = true

  /** Adds what another has seen. */
  def add(that: CellRanks): Unit = {
    CellRanks.sum(low, that.low)
    CellRanks.sum(high, that.high)
    CellRanks.greater(last, that.last)
    minimum = math.min(minimum, that.minimum)
    isKnown &= that.isKnown && Long.MaxValue - count >= that.count
    count += that.count
  }

  def copy: CellRanks = {
    val other = new CellRanks(cells)
    System.arraycopy(low, 0, other.low, 0, cells)
    System.arraycopy(high, 0, other.high, 0, cells)
    System.arraycopy(last, 0, other.last, 0, cells)
    other.minimum = minimum
    other.count = count
    other.isKnown = isKnown
    other
  }
}

private object CellRanks {

  // loops over two arrays alone: these are compiled to vector instructions
  private def sum(into: Array[Long], that: Array[Long]): Unit = {
    var i = 0
    while (i < into.length) { into(i) += that(i); i += 1 }
  }

  private def greater(into: Array[Long], that: Array[Long]): Unit = {
    var i = 0
    while (i < into.length) { into(i) = math.max(into(i), that(i)); i += 1 }
  }
}
