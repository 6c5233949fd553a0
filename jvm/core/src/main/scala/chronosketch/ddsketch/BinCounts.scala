package chronosketch.ddsketch

import chronosketch.counted.{FrequencyTable, SortedCounts}
import chronosketch.memory.Meter

/** Counts the rows of each bin, in arrays for dense ranges of bins and in a hash table for the others.
  *
  * Guarantee  exact; [[sorted]] does not depend on the order of arrival
  * Cost       1 ns per row if bins are close together, 3 ns if all rows have the same bin, 8 ns otherwise. A bin takes 8 to 32 bytes inside
  *            a window and 32 to 64 outside; with many rows, each window may take 32 KiB more
  * Units      the caller makes sure that the sum of all counts fits in 63 bits
  * Merge      counts are added
  * Source     a window of counts is like DDSketch's dense store, the table like its sparse store
  *
  * Bins begin in the table. After enough rows have been added to it, a window is chosen on either side of 0: an array with a place for
  * each bin of a range, which is no larger than a table of the bins in it. Rows outside the windows go to the table; if there are many,
  * the windows are chosen again.
  */
private[ddsketch] final class BinCounts {
  import BinCounts._

  // above(i) is the count of bin aboveLow + i, below(i) that of bin −(belowLow + i)
  private var above, below = Array.emptyLongArray
  private var aboveLow, belowLow = 1
  private var zeros = 0L
  private var table: FrequencyTable = null
  private var bytes = 0L

  // rows or merged bins added to the table since the windows were chosen, and the number at which they are chosen again
  private var misses = 0L
  private var maxMisses = MinMisses

  /** The bytes of the arrays. */
  def sizeBytes: Long = bytes

  /** The number of bins that have rows. */
  def distinct: Int = windowed + outside

  private def windowed: Int = (if (zeros != 0) 1 else 0) + countUsed(above) + countUsed(below)
  private def outside: Int = if (table == null) 0 else table.distinct

  def add(bin: Int, copies: Long): Unit = {
    val place = bin - aboveLow
    if (Integer.compareUnsigned(place, above.length) < 0) above(place) += copies
    else if (bin == 0) zeros += copies
    else {
      val mirrored = -bin - belowLow
      if (Integer.compareUnsigned(mirrored, below.length) < 0) below(mirrored) += copies
      else {
        addToTable(bin, copies)
        chooseWindowsIfDue()
      }
    }
  }

  private def addToTable(bin: Int, copies: Long): Unit = {
    if (table == null) table = new FrequencyTable
    table.add(bin.toLong, copies)
    misses += 1
    updateBytes()
  }

  private def updateBytes(): Unit =
    bytes =
      Meter.longs(above.length) + Meter.longs(below.length) + (if (table == null) 0L else table.sizeBytes)

  /** Adds one row to each of the first n bins. Overwrites the array.
    *
    * @param areAbove whether all bins are above 0
    */
  def addAll(bins: Array[Int], n: Int, areAbove: Boolean): Unit = {
    val missed = if (areAbove) addAbove(bins, n) else addMixed(bins, n)
    if (missed > 0) {
      var i = 0
      while (i < missed) { addToTable(bins(i), 1L); i += 1 }
      chooseWindowsIfDue()
    }
  }

  // Bins outside the windows are moved to the front of the array; returns how many.
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

  /** As `addAbove` for bins of any sign. The sign selects the window without a branch, which would be mispredicted every other time. */
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
      updateBytes()
      chooseWindowsIfDue()
    } else addAll(that.sorted)

  private def isTable: Boolean = above.length == 0 && below.length == 0

  /** Adds counts of bins, which are sorted. */
  def addAll(more: SortedCounts): Unit = {
    val n = more.keys.length
    if (n >= MinBins && bytes == 0 && zeros == 0) chooseWindows(more)
    else {
      if (isTable && n > 0) {
        if (table == null) table = new FrequencyTable
        table.reserve(table.distinct.toLong + n)
      }
      var i = 0
      while (i < n) { add(more.keys(i).toInt, more.counts(i)); i += 1 }
      updateBytes()
    }
  }

  private def chooseWindowsIfDue(): Unit = if (misses >= maxMisses) chooseWindows(sorted)

  /** Chooses windows for these bins, which must be all bins, and moves their counts into windows and table. */
  private def chooseWindows(all: SortedCounts): Unit = {
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
    putOutside(all, up, down, n - up.bins - down.bins - (if (hasZero) 1 else 0))
    misses = 0L
    maxMisses = MinMisses + (above.length + below.length) / WindowShare + OutsideShare * outside
    updateBytes()
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

  /** The bins that have rows, sorted, with their counts. */
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

  /** Windows are chosen after at least this many rows outside them. */
  private val MinMisses = 256L

  /** If at least this many bins are added at once to empty counts, windows are chosen for them. */
  private val MinBins = 32

  // Choosing windows costs a pass over them and a sort of the table: these shares of rows outside pay for it.
  private val WindowShare = 4
  private val OutsideShare = 8L

  private def countUsed(places: Array[Long]): Int = {
    var n = 0
    var i = 0
    while (i < places.length) {
      if (places(i) != 0) n += 1
      i += 1
    }
    n
  }

  /** Merges two lists without common keys. */
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
