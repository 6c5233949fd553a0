package chronosketch.sort

import java.util.Arrays

import chronosketch.Cancellation

/** Sorts keys by distributing them to parts of equal width between the least and the greatest key; parts with many keys are sorted
  * in the same way.
  *
  * Cost  two passes over evenly spread keys and at most eight over any keys: each pass takes up to eleven bits off the range. Keys
  *       in runs are left to the JDK's sort, which merges them, also if two runs alternate ([[Alternating]]). 2 to 4 times as fast
  *       as the JDK on 256 … 10⁶ random keys
  *
  * Each thread has one, with its scratch memory.
  */
private[chronosketch] final class KeySort {
  private var room = new Array[Long](1024)

  private val ranges = new RangeParts(crowdBits = 0, mostBits = 11)

  /** Sorts the first n keys. `cancellation` is checked between passes over parts of them, but not in the JDK's sort. */
  def sort(keys: Array[Long], n: Int, cancellation: Cancellation = Cancellation.Never): Unit =
    if (n < KeySort.Few || hasRuns(keys, n)) Arrays.sort(keys, 0, n)
    else {
      if (room.length < n) room = new Array[Long](n + n / 4)
      if (Alternating.holds(keys, n)) {
        Alternating.separate(keys, n, room)
        Arrays.sort(keys, 0, n)
      } else sort(keys, 0, n, 0, cancellation)
      if (room.length > KeySort.MostKept) room = new Array[Long](1024)
    }

  /** Whether the keys are mostly rising or mostly falling. In random order half of the steps fall. */
  private def hasRuns(keys: Array[Long], n: Int): Boolean = {
    var falls = 0
    var i = 1
    while (i < n) {
      if (keys(i) < keys(i - 1)) falls += 1
      i += 1
    }
    falls < n / 8 || falls > n - n / 8
  }

  private def sort(
      keys: Array[Long],
      from: Int,
      until: Int,
      depth: Int,
      cancellation: Cancellation
  ): Unit = {
    cancellation.check()
    if (ranges.split(keys, from, until, depth)) {
      val ends = ranges.starts(depth)
      val parts = ranges.parts
      val shift = ranges.shift
      distribute(keys, from, until, ends)
      var start = from
      var part = 0
      while (part < parts) {
        val end = ends(part)
        if (end - start > KeySort.Few && shift > 0) {
          System.arraycopy(room, start, keys, start, end - start)
          sort(keys, start, end, depth + 1, cancellation)
        } else insertInto(keys, start, end)
        start = end
        part += 1
      }
    }
  }

  /** Copies the keys to `room`, part by part. `ends` has the start of each part, and afterwards its end. */
  private def distribute(keys: Array[Long], from: Int, until: Int, ends: Array[Int]): Unit = {
    val least = ranges.least
    val shift = ranges.shift
    val to = room
    var i = from
    while (i < until) {
      val key = keys(i)
      val part = ((key - least) >>> shift).toInt
      to(ends(part)) = key
      ends(part) += 1
      i += 1
    }
  }

  /** Sorts few keys, or equal ones, by insertion from `room` into `keys`. */
  private def insertInto(keys: Array[Long], from: Int, until: Int): Unit = {
    val unsorted = room
    var i = from
    while (i < until) {
      val key = unsorted(i)
      var at = i
      while (at > from && keys(at - 1) > key) {
        keys(at) = keys(at - 1)
        at -= 1
      }
      keys(at) = key
      i += 1
    }
  }
}

private[chronosketch] object KeySort {

  private val sorters = ThreadLocal.withInitial[KeySort](() => new KeySort)

  /** The sorter of the current thread. */
  def ofThread: KeySort = sorters.get

  /** The scratch memory that sorting n keys takes. */
  def bytes(n: Long): Long = 10L * n

  /** For fewer keys the JDK's insertion sort is as fast. */
  private[sort] val Few = 40

  /** Scratch memory for more keys than this is released after the sort. */
  private val MostKept = 1 << 18
}

/** Detects and separates two runs whose keys alternate, as if two sorted sources were read in turn.
  *
  * Cost  a check of a few keys if they do not alternate; otherwise one pass to check and one to separate them
  */
private[sort] object Alternating {

  /** The number of keys that are checked first. */
  private val FirstKeys = 32

  /** Whether the keys at even positions are mostly rising or mostly falling, and those at odd positions, too. */
  def holds(keys: Array[Long], n: Int): Boolean =
    n > FirstKeys && isRun(keys, 0, FirstKeys) && isRun(keys, 1, FirstKeys) && isRun(keys, 0, n) &&
      isRun(keys, 1, n)

  private def isRun(keys: Array[Long], from: Int, until: Int): Boolean = {
    var falls = 0
    var i = from + 2
    while (i < until) {
      falls += (if (keys(i) < keys(i - 2)) 1 else 0)
      i += 2
    }
    val steps = (until - from - 1) / 2
    falls < steps / 8 || falls > steps - steps / 8
  }

  /** Writes one run after the other, each from its lower end. The keys are sorted then if the ranges of the runs do not overlap;
    * otherwise they are two runs to merge. `room` is scratch memory for n keys.
    */
  def separate(keys: Array[Long], n: Int, room: Array[Long]): Unit = {
    System.arraycopy(keys, 0, room, 0, n)
    // first the run that begins with the lesser key
    val lower = if (room(0) <= room(1)) 0 else 1
    val middle = copyRun(room, lower, n, keys, 0)
    copyRun(room, 1 - lower, n, keys, middle)
    ()
  }

  /** Copies every second key from `first` on, in ascending order. Returns the end of the copy. */
  private def copyRun(from: Array[Long], first: Int, n: Int, to: Array[Long], at: Int): Int = {
    val size = (n - first + 1) / 2
    val last = first + 2 * (size - 1)
    val rises = from(first) <= from(last)
    val step = if (rises) 2 else -2
    var i = if (rises) first else last
    var o = at
    while (o < at + size) {
      to(o) = from(i)
      o += 1
      i += step
    }
    o
  }
}
