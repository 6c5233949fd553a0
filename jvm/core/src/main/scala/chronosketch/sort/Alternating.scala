package chronosketch.sort

/** Are keys two runs that take turns, as where two sources in order are read in step?
  *
  * Cost  a look at a few keys where they are not; a pass each to see it and to part them, where they are
  */
private[sort] object Alternating {

  /** So many keys are looked at first. */
  private val First = 32

  /** Whether every second key rises or falls for long, and those between them too. */
  def holds(keys: Array[Long], n: Int): Boolean =
    n > First && isRun(keys, 0, First) && isRun(keys, 1, First) && isRun(keys, 0, n) && isRun(keys, 1, n)

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

  /** One run after the other, each from its lesser end: in order, where their ranges don't meet, or two runs to merge. */
  def part(keys: Array[Long], n: Int, room: Array[Long]): Unit = {
    System.arraycopy(keys, 0, room, 0, n)
    // the one that begins with the lesser key first
    val lower = if (room(0) <= room(1)) 0 else 1
    val middle = take(room, lower, n, keys, 0)
    take(room, 1 - lower, n, keys, middle)
    ()
  }

  private def take(from: Array[Long], first: Int, n: Int, to: Array[Long], at: Int): Int = {
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
