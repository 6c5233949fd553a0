package chronosketch.sort

import java.util.Arrays

/** In which order are keys of which many came in runs that are in order by themselves?
  *
  * Guarantee  all keys that were added, in order
  * Cost       of a run log₂(runs) steps a key; other keys, and those of short runs, are sorted first, to be one run ([[KeySort]])
  */
private[chronosketch] final class SortedRuns {
  private var loose = new Array[Long](64)
  private var looseSize = 0
  private var keys, spare = Array.emptyLongArray
  private var ends = new Array[Int](8)
  private var runs = 0

  private def runSize: Int = if (runs == 0) 0 else ends(runs - 1)

  /** How many keys there are. */
  def size: Int = looseSize + runSize

  /** Room for so many in no order, from [[looseFrom]] on of the array that is the result. */
  def reserve(more: Int): Array[Long] = {
    if (loose.length - looseSize < more)
      loose = Arrays.copyOf(loose, math.max(looseSize + more, 2 * loose.length))
    loose
  }

  def looseFrom: Int = looseSize

  /** So many have been put where [[reserve]] made room. */
  def addLoose(n: Int): Unit = looseSize += n

  /** Keys that are in order. */
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

  /** The first [[size]] keys of the result are all there are, in order, until others are added or they are forgotten. */
  def inOrder(): Array[Long] = {
    KeySort.own.sort(loose, looseSize)
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

  /** Shorter runs are not worth a merge of their own. */
  private val Fewest = 24
}
