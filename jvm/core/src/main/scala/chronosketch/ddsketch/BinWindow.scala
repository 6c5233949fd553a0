package chronosketch.ddsketch

import chronosketch.counted.SortedCounts

/** A stretch of bins on one side of 0 for whose counts an array pays: the bins all(from) … all(until − 1) that have rows, and those
  * beside and between them, by magnitude from `low` on, `length` of them.
  */
private[ddsketch] final class BinWindow private (from: Int, until: Int, val low: Int, length: Int) {

  /** Bins of it that have rows. */
  def bins: Int = until - from

  def has(i: Int): Boolean = from <= i && i < until

  /** The array. */
  def filled(all: SortedCounts): Array[Long] = {
    val places = if (length == 0) Array.emptyLongArray else new Array[Long](length)
    var i = from
    while (i < until) {
      places(math.abs(all.keys(i).toInt) - low) = all.counts(i)
      i += 1
    }
    places
  }
}

private[ddsketch] object BinWindow {

  /** Places for each bin that has rows, at most: 32 bytes, as few as a table takes. */
  private[ddsketch] val Places = 4

  /** Or, where bins are few and rows many: a place for so many rows, and no more places than 32 KiB have. */
  private[ddsketch] val RowsAPlace = 64L
  private[ddsketch] val FewPlaces = 4096

  private val None = new BinWindow(0, 0, 1, 0)

  /** The window that has most rows of the bins all(from) … all(until − 1), all of one sign. */
  def of(all: SortedCounts, from: Int, until: Int): BinWindow =
    if (from == until) None
    else {
      val upTo = new Array[Long](until - from + 1)
      var i = from
      while (i < until) { upTo(i - from + 1) = upTo(i - from) + all.counts(i); i += 1 }
      val few = math.min(FewPlaces.toLong, upTo(until - from) / RowsAPlace).toInt
      val close = most(upTo, closeEnds(all, from, until))
      val short = most(upTo, shortEnds(all, from, until, few))
      val (first, last) =
        if (upTo(close._2) - upTo(close._1) >= upTo(short._2) - upTo(short._1)) close else short
      around(all, from + first, from + last, few)
    }

  private def around(all: SortedCounts, from: Int, until: Int, few: Int): BinWindow = {
    val a = math.abs(all.keys(from).toInt)
    val b = math.abs(all.keys(until - 1).toInt)
    val least = math.min(a, b)
    val span = math.max(a, b) - least + 1
    val limit = math.max(few.toLong, Places.toLong * (until - from))
    // rows to come may lie beside it
    val spare = math.min(span / 4L + 1, (limit - span) / 2).toInt
    val low = math.max(1, least - spare)
    new BinWindow(from, until, low, least - low + span + spare)
  }

  /** Of each bin i the last one, excluded, that a window from it on may reach. */
  private def shortEnds(all: SortedCounts, from: Int, until: Int, few: Int): Array[Int] = {
    val ends = new Array[Int](until - from)
    var end = 0
    var i = 0
    while (i < ends.length) {
      end = math.max(end, i + 1)
      while (from + end < until && all.keys(from + end) - all.keys(from + i) < few) end += 1
      ends(i) = end
      i += 1
    }
    ends
  }

  /** Bins i … j fit where all(j) − 4j ≤ all(i) − 4i + 3. The least of the left side from some bin on tells how far each i may go. */
  private def closeEnds(all: SortedCounts, from: Int, until: Int): Array[Int] = {
    val n = until - from
    val leastFrom = new Array[Long](n)
    var i = n - 1
    var least = Long.MaxValue
    while (i >= 0) {
      least = math.min(least, all.keys(from + i) - Places.toLong * i)
      leastFrom(i) = least
      i -= 1
    }
    val ends = new Array[Int](n)
    i = 0
    while (i < n) {
      val limit = all.keys(from + i) - Places.toLong * i + Places - 1
      var low = i
      var high = n - 1
      while (low < high) {
        val middle = (low + high + 1) >>> 1
        if (leastFrom(middle) <= limit) low = middle else high = middle - 1
      }
      ends(i) = low + 1
      i += 1
    }
    ends
  }

  /** Where the most rows are, of the stretches that begin at each bin. */
  private def most(upTo: Array[Long], ends: Array[Int]): (Int, Int) = {
    var best = 0
    var i = 1
    while (i < ends.length) {
      if (upTo(ends(i)) - upTo(i) > upTo(ends(best)) - upTo(best)) best = i
      i += 1
    }
    (best, ends(best))
  }
}
