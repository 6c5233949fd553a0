package chronosketch.sliding.fold

/** Bounds on how many elements of some sketches are at most the upper bound of each grid cell, and the greatest known key up to
  * that bound.
  *
  * Merge  adds the counts and takes the greater keys; the result is what a union of the sketches has
  */
private[fold] final class CellRanks(cells: Int) {

  /** Smallest and largest possible number of elements up to the cell's bound. */
  val low, high = new Array[Long](cells)

  /** Greatest known key up to the bound; Long.MinValue if there is none. */
  val last = new Array[Long](cells)

  var minimum: Long = Long.MaxValue
  var count = 0L

  /** Whether all sketches are of the kind that the grid was built for, and their total count fits into 63 bits. */
  var isKnown = true

  /** Adds the ranks of other sketches. */
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

  // each loop reads only two arrays, so that it is compiled to vector instructions
  private def sum(into: Array[Long], that: Array[Long]): Unit = {
    var i = 0
    while (i < into.length) { into(i) += that(i); i += 1 }
  }

  private def greater(into: Array[Long], that: Array[Long]): Unit = {
    var i = 0
    while (i < into.length) { into(i) = math.max(into(i), that(i)); i += 1 }
  }
}
