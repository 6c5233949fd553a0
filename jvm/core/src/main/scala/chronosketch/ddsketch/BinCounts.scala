package chronosketch.ddsketch

import chronosketch.counted.{FrequencyTable, SortedCounts}
import chronosketch.memory.Meter

/** How many rows has each bin?
  *
  * Guarantee  exact; the order of arrival leaves no trace in [[sorted]]
  * Cost       1 ns a row where bins lie close, 3 ns where all rows have one bin, 8 ns elsewhere. A bin takes 8 to 32 bytes in a window,
  *            32 to 64 outside; where rows are many, 32 KiB more may go to either window
  * Units      counts, all together within 63 bits: whoever adds sees to that
  * Merge      always: counts add up
  * Source     none; a window of counts as DDSketch's dense store has it, a table as the sparse one
  *
  * Bins begin in a table. Once rows enough have come to it, most of them are given a window on either side of 0, an array with a
  * place for each bin, which is no larger than a table for the bins in it; what comes to the table later may move the windows.
  */
private[ddsketch] final class BinCounts {
  import BinCounts._

  // places(i) has the count of the bin low + i, or −(low + i)
  private var above, below = Array.emptyLongArray
  private var aboveLow, belowLow = 1
  private var zeros = 0L
  private var table: FrequencyTable = null
  private var held = 0L

  // rows, or merged bins, that came to the table since the windows were chosen, and how many may until they are chosen again
  private var misses = 0L
  private var patience = Patience

  /** Bytes of its arrays. */
  def sizeBytes: Long = held

  /** Bins that have rows. */
  def distinct: Int = windowed + outside

  private def windowed: Int = (if (zeros != 0) 1 else 0) + taken(above) + taken(below)
  private def outside: Int = if (table == null) 0 else table.distinct

  def add(bin: Int, copies: Long): Unit = {
    val place = bin - aboveLow
    if (Integer.compareUnsigned(place, above.length) < 0) above(place) += copies
    else if (bin == 0) zeros += copies
    else {
      val mirrored = -bin - belowLow
      if (Integer.compareUnsigned(mirrored, below.length) < 0) below(mirrored) += copies
      else {
        miss(bin, copies)
        settleIfDue()
      }
    }
  }

  private def miss(bin: Int, copies: Long): Unit = {
    if (table == null) table = new FrequencyTable
    table.add(bin.toLong, copies)
    misses += 1
    measure()
  }

  private def measure(): Unit =
    held =
      Meter.longs(above.length) + Meter.longs(below.length) + (if (table == null) 0L else table.sizeBytes)

  /** One more of each of the first n, which are overwritten. */
  def addAll(bins: Array[Int], n: Int, areAbove: Boolean): Unit = {
    val missed = if (areAbove) addAbove(bins, n) else addMixed(bins, n)
    if (missed > 0) {
      var i = 0
      while (i < missed) { miss(bins(i), 1L); i += 1 }
      settleIfDue()
    }
  }

  // Those that miss the windows are moved to the front.
  private def addAbove(bins: Array[Int], n: Int): Int = {
    val places = above
    val low = aboveLow
    var missed = 0
    var i = 0
    while (i < n) {
      val bin = bins(i)
      val place = bin - low
      if (Integer.compareUnsigned(place, places.length) < 0) places(place) += 1
      else { bins(missed) = bin; missed += 1 }
      i += 1
    }
    missed
  }

  /** The sign picks a window without a branch, which would be guessed wrong every other time. */
  private def addMixed(bins: Array[Int], n: Int): Int = {
    val zero = new Array[Long](1)
    val windows = Array(below, zero, above)
    val lows = Array(belowLow, 0, aboveLow)
    var missed = 0
    var i = 0
    while (i < n) {
      val bin = bins(i)
      val sign = bin >> 31
      val side = sign - (-bin >> 31) + 1
      val places = windows(side)
      val place = (bin ^ sign) - sign - lows(side)
      if (Integer.compareUnsigned(place, places.length) < 0) places(place) += 1
      else { bins(missed) = bin; missed += 1 }
      i += 1
    }
    zeros += zero(0)
    missed
  }

  def addAll(that: BinCounts): Unit =
    if (that.isTable && isTable && that.table != null) {
      if (table == null) table = new FrequencyTable
      table.addAll(that.table)
      zeros += that.zeros
      misses += that.table.distinct
      measure()
      settleIfDue()
    } else addAll(that.sorted)

  private def isTable: Boolean = above.length == 0 && below.length == 0

  /** Bins that rise, and their counts. */
  def addAll(more: SortedCounts): Unit = {
    val n = more.keys.length
    if (n >= Fewest && held == 0 && zeros == 0) place(more)
    else {
      if (isTable && n > 0) {
        if (table == null) table = new FrequencyTable
        table.reserve(table.distinct.toLong + n)
      }
      var i = 0
      while (i < n) { add(more.keys(i).toInt, more.counts(i)); i += 1 }
      measure()
    }
  }

  private def settleIfDue(): Unit = if (misses >= patience) place(sorted)

  /** Chooses windows for these bins, which are all that there are. */
  private def place(all: SortedCounts): Unit = {
    val n = all.keys.length
    var negative = 0
    while (negative < n && all.keys(negative) < 0) negative += 1
    val hasZero = negative < n && all.keys(negative) == 0
    zeros = if (hasZero) all.counts(negative) else 0L
    val up = BinWindow.of(all, negative + (if (hasZero) 1 else 0), n)
    val down = BinWindow.of(all, 0, negative)
    above = up.filled(all)
    aboveLow = up.low
    below = down.filled(all)
    belowLow = down.low
    // the window of negative bins mirrored: its least bin has the greatest magnitude
    putOutside(all, up, down, n - up.bins - down.bins - (if (hasZero) 1 else 0))
    misses = 0L
    patience = Patience + (above.length + below.length) / WindowShare + OutsideShare * outside
    measure()
  }

  private def putOutside(all: SortedCounts, up: BinWindow, down: BinWindow, n: Int): Unit = {
    table = null
    if (n > 0) {
      table = new FrequencyTable
      table.reserve(n.toLong)
      var i = 0
      while (i < all.keys.length) {
        if (all.keys(i) != 0 && !up.has(i) && !down.has(i)) table.add(all.keys(i), all.counts(i))
        i += 1
      }
    }
  }

  /** Bins that have rows, rising. */
  def sorted: SortedCounts =
    if (isTable && zeros == 0) {
      if (table == null) new SortedCounts(Array.emptyLongArray, Array.emptyLongArray) else table.sorted
    } else {
      val keys, counts = new Array[Long](windowed)
      var o = 0
      def put(bin: Int, count: Long): Unit = if (count != 0) {
        keys(o) = bin.toLong
        counts(o) = count
        o += 1
      }
      var i = below.length - 1
      while (i >= 0) { put(-(belowLow + i), below(i)); i -= 1 }
      put(0, zeros)
      i = 0
      while (i < above.length) { put(aboveLow + i, above(i)); i += 1 }
      val inWindows = new SortedCounts(keys, counts)
      if (outside == 0) inWindows else merged(inWindows, table.sorted)
    }
}

private[ddsketch] object BinCounts {

  /** As many rows in the table make it worth while to look for a window. */
  private val Patience = 256L

  /** As many bins that come at once. */
  private val Fewest = 32

  // Choosing windows goes through them and sorts what is outside: as long as that takes, rows go on to the table.
  private val WindowShare = 4
  private val OutsideShare = 8L

  private def taken(places: Array[Long]): Int = {
    var n = 0
    var i = 0
    while (i < places.length) {
      if (places(i) != 0) n += 1
      i += 1
    }
    n
  }

  /** Of two without a key in common. */
  private def merged(a: SortedCounts, b: SortedCounts): SortedCounts = {
    val n = a.keys.length + b.keys.length
    val keys, counts = new Array[Long](n)
    var i, j, o = 0
    while (o < n) {
      if (j == b.keys.length || (i < a.keys.length && a.keys(i) < b.keys(j))) {
        keys(o) = a.keys(i)
        counts(o) = a.counts(i)
        i += 1
      } else {
        keys(o) = b.keys(j)
        counts(o) = b.counts(j)
        j += 1
      }
      o += 1
    }
    new SortedCounts(keys, counts)
  }
}
