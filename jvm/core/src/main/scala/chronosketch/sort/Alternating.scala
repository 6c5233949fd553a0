package chronosketch.sort

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
