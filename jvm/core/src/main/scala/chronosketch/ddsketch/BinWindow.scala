package chronosketch.ddsketch

import chronosketch.counted.SortedCounts

/** A range of bins on one side of 0 that is dense enough for an array of counts. It contains the non-empty bins all(from) to
  * all(until − 1) and the bins between and beside them: `length` bins, by magnitude, from `low` on.
  */
private[ddsketch] final class BinWindow private (from: Int, until: Int, val low: Int, length: Int) {

  /** The number of non-empty bins. */
  def bins: Int = until - from

  def has(i: Int): Boolean = from <= i && i < until

  /** An array with the counts of the bins. */
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

  /** At most this many places per non-empty bin: 32 bytes, the least that a table takes. */
  private[ddsketch] val PlacesPerBin = 4

  /** Alternatively, with few bins and many rows, one place per this many rows, but at most 32 KiB. */
  private[ddsketch] val RowsPerPlace = 64L
  private[ddsketch] val MaxRowPlaces = 4096

  private val None = new BinWindow(0, 0, 1, 0)

  /** The window with the most rows of the bins all(from) to all(until − 1), which have the same sign. */
  def of(all: SortedCounts, from: Int, until: Int): BinWindow =
    if (from == until) None
    else {
      val upTo = new Array[Long](until - from + 1)
      var i = from
      while (i < until) { upTo(i - from + 1) = upTo(i - from) + all.counts(i); i += 1 }
      val maxPlaces = math.min(MaxRowPlaces.toLong, upTo(until - from) / RowsPerPlace).toInt
      val dense = richest(upTo, denseEnds(all, from, until))
      val short = richest(upTo, shortEnds(all, from, until, maxPlaces))
      val (first, last) =
        if (upTo(dense._2) - upTo(dense._1) >= upTo(short._2) - upTo(short._1)) dense else short
      around(all, from + first, from + last, maxPlaces)
    }

  private def around(all: SortedCounts, from: Int, until: Int, maxPlaces: Int): BinWindow = {
    val a = math.abs(all.keys(from).toInt)
    val b = math.abs(all.keys(until - 1).toInt)
    val least = math.min(a, b)
    val span = math.max(a, b) - least + 1
    val limit = math.max(maxPlaces.toLong, PlacesPerBin.toLong * (until - from))
    // leave room on either side for later rows
    val spare = math.min(span / 4L + 1, (limit - span) / 2).toInt
    val low = math.max(1, least - spare)
    new BinWindow(from, until, low, least - low + span + spare)
  }

  /** For each bin, the end (exclusive) of the longest window of at most `maxPlaces` places that begins with it. */
  private def shortEnds(all: SortedCounts, from: Int, until: Int, maxPlaces: Int): Array[Int] = {
    val ends = new Array[Int](until - from)
    var end = 0
    var i = 0
    while (i < ends.length) {
      end = math.max(end, i + 1)
      while (from + end < until && all.keys(from + end) - all.keys(from + i) < maxPlaces) end += 1
      ends(i) = end
      i += 1
    }
    ends
  }

  /** For each bin, the end (exclusive) of the longest window of at most four places per bin that begins with it. Bins i to j fit if
    * all(j) − 4j ≤ all(i) − 4i + 3, so the suffix minima of the left side show how far each i may go.
    */
  private def denseEnds(all: SortedCounts, from: Int, until: Int): Array[Int] = {
    val n = until - from
    val leastFrom = new Array[Long](n)
    var i = n - 1
    var least = Long.MaxValue
    while (i >= 0) {
      least = math.min(least, all.keys(from + i) - PlacesPerBin.toLong * i)
      leastFrom(i) = least
      i -= 1
    }
    val ends = new Array[Int](n)
    i = 0
    while (i < n) {
      val limit = all.keys(from + i) - PlacesPerBin.toLong * i + PlacesPerBin - 1
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

  /** The range with the most rows among the ranges [i, ends(i)). */
  private def richest(upTo: Array[Long], ends: Array[Int]): (Int, Int) = {
    var best = 0
    var i = 1
    while (i < ends.length) {
      if (upTo(ends(i)) - upTo(i) > upTo(ends(best)) - upTo(best)) best = i
      i += 1
    }
    (best, ends(best))
  }
}
