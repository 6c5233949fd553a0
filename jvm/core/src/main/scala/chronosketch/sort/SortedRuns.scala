package chronosketch.sort

import java.util.Arrays

/** Collects sorted runs of keys and unsorted keys, and sorts them by merging.
  *
  * Guarantee  all added keys, in ascending order
  * Cost       log₂(runs) steps per key of a run. Unsorted keys, and those of short runs, are sorted first ([[KeySort]]) and make one
  *            run
  */
private[chronosketch] final class SortedRuns {
  private var loose = new Array[Long](64)
  private var looseSize = 0
  private var keys, spare = Array.emptyLongArray
  private var ends = new Array[Int](8)
  private var runs = 0

  private def runSize: Int = if (runs == 0) 0 else ends(runs - 1)

  /** The number of keys. */
  def size: Int = looseSize + runSize

  /** Makes room for `more` unsorted keys and returns the array. The caller stores them from [[looseFrom]] on and calls [[addLoose]]. */
  def reserve(more: Int): Array[Long] = {
    if (loose.length - looseSize < more)
      loose = Arrays.copyOf(loose, math.max(looseSize + more, 2 * loose.length))
    loose
  }

  def looseFrom: Int = looseSize

  /** Adds the n unsorted keys that were stored where [[reserve]] made room. */
  def addLoose(n: Int): Unit = looseSize += n

  /** Adds a sorted run. */
  def add(run: Array[Long]): Unit =
    if (run.length < SortedRuns.Fewest) {
      System.arraycopy(run, 0, reserve(run.length), looseSize, run.length)
      looseSize += run.length
    } else addRun(run, run.length)

  private def addRun(run: Array[Long], n: Int): Unit = {
    val from = runSize
    if (keys.length - from < n) keys = Arrays.copyOf(keys, math.max(from + n, 2 * keys.length))
    System.arraycopy(run, 0, keys, from, n)
    if (runs == ends.length) ends = Arrays.copyOf(ends, 2 * runs)
    ends(runs) = from + n
    runs += 1
  }

  /** Sorts all keys. They are the first [[size]] elements of the result, which is valid until keys are added or cleared. */
  def inOrder(): Array[Long] = {
    KeySort.ofThread.sort(loose, looseSize)
    if (runs == 0) loose
    else {
      if (looseSize > 0) addRun(loose, looseSize)
      looseSize = 0
      if (runs > 1 && spare.length < keys.length) spare = new Array[Long](keys.length)
      while (runs > 1) mergePairs()
      keys
    }
  }

  def clear(): Unit = {
    looseSize = 0
    runs = 0
  }

  private def mergePairs(): Unit = {
    var start = 0
    var pairs = 0
    var i = 0
    while (i < runs) {
      val middle = ends(i)
      val end = if (i + 1 < runs) ends(i + 1) else middle
      SortedPair.merge(keys, start, middle, keys, middle, end, spare, start)
      ends(pairs) = end
      pairs += 1
      start = end
      i += 2
    }
    runs = pairs
    val merged = spare
    spare = keys
    keys = merged
  }
}

private object SortedRuns {

  /** Shorter runs are sorted together with the unsorted keys: a merge of their own does not pay off. */
  private val Fewest = 24
}

/** Merges two sorted runs of keys.
  *
  * Guarantee  all keys of both, in ascending order
  * Cost       a step per key. Which run the next key comes from is hard to predict, so it is computed without a branch
  */
private[chronosketch] object SortedPair {

  /** Writes the merged keys of both runs into an array, from `at` on. */
  def merge(
      left: Array[Long],
      leftFrom: Int,
      leftUntil: Int,
      right: Array[Long],
      rightFrom: Int,
      rightUntil: Int,
      to: Array[Long],
      at: Int
  ): Unit = {
    var i = leftFrom
    var j = rightFrom
    var o = at
    while (i < leftUntil && j < rightUntil) {
      val ours = left(i)
      val theirs = right(j)
      val fromLeft = if (ours <= theirs) 1 else 0
      to(o) = math.min(ours, theirs)
      i += fromLeft
      j += 1 - fromLeft
      o += 1
    }
    System.arraycopy(left, i, to, o, leftUntil - i)
    System.arraycopy(right, j, to, o + leftUntil - i, rightUntil - j)
  }
}
