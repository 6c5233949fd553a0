package chronosketch.history.span

/** A tree of the maximal counters of neighbouring parts of a cell.
  *
  * Guarantee  the same results as reading the counters one by one
  * Cost       a few counters on each of log₈(parts) levels; memory: on each level at most as many writes as the parts have
  *
  * A cell that was split again and again has hundreds of parts, and a rank depends on the greatest counter up to each part. Eight
  * neighbouring parts make a node, eight nodes a node of the next level. A node is written when its maximum changes. Parts are numbered
  * within the cell.
  *
  * @param first the counter of part 0
  */
private[history] final class PartMaxima(counters: TrackGuide, first: Int, val size: Int) {
  import PartMaxima._

  // the levels above the parts; the last has at most Fanout nodes
  private val levels: Array[TrackGuide] = {
    val all = Array.newBuilder[TrackGuide]
    var (below, from, n) = (counters, first, size)
    while (n > Fanout) {
      below = new TrackGuide(parents(below.tracks, from, n))
      from = 0
      n = below.tracks.size
      all += below
    }
    all.result()
  }

  /** The number of levels above the parts. */
  def height: Int = levels.length
  def nodes(level: Int): Int = if (level == 0) size else levels(level - 1).tracks.size

  /** The greatest counter in a node at a version, or on level 0 the counter of a part; −1 if none exists yet. */
  def value(level: Int, node: Int, version: Long): Long =
    if (level == 0) counters.at(first + node, version) else levels(level - 1).at(node, version)

  private def exists(level: Int, node: Int, version: Long): Boolean =
    if (level == 0) counters.tracks.isWritten(first + node, version)
    else levels(level - 1).tracks.isWritten(node, version)

  /** The greatest counter of the parts before `part`; −1 if none exists yet. */
  def before(part: Int, version: Long): Long = {
    var greatest = -1L
    var level = 0
    var end = part
    while (level <= levels.length) {
      // nodes of the last level have no parent, so start with the first
      var node = if (level == levels.length) 0 else end & -Fanout
      while (node < end) { greatest = math.max(greatest, value(level, node, version)); node += 1 }
      end >>= Bits
      level += 1
    }
    greatest
  }

  /** The last part before `part` that exists at a version; −1 if there is none. */
  def previous(part: Int, version: Long): Int = {
    var until = part
    while (until > 0 && !exists(0, until - 1, version)) {
      var level = 0
      while (
        level < levels.length && (until & ((Fanout << Bits * level) - 1)) == 0 &&
        !exists(level + 1, (until >> Bits * (level + 1)) - 1, version)
      ) level += 1
      until -= 1 << Bits * level
    }
    until - 1
  }

  /** The first part at or after `part` that exists at a version; `size` if there is none. */
  def next(part: Int, version: Long): Int = {
    var from = part
    while (from < size && !exists(0, from, version)) {
      var level = 0
      while (
        level < levels.length && (from & ((Fanout << Bits * level) - 1)) == 0 &&
        !exists(level + 1, from >> Bits * (level + 1), version)
      ) level += 1
      from += 1 << Bits * level
    }
    math.min(from, size)
  }

  def sizeBytes: Long = levels.map(l => l.tracks.sizeBytes + l.sizeBytes).sum
}

private[history] object PartMaxima {
  private val Bits = 3
  val Fanout: Int = 1 << Bits

  /** The maxima of each eight of the tracks [from, from + size). */
  private def parents(tracks: Tracks, from: Int, size: Int): Tracks = {
    val ends = new Array[Int]((size + Fanout - 1) / Fanout)
    val writes = new LongList
    ends.indices.foreach { node =>
      val start = from + node * Fanout
      addGreatest(tracks, start, math.min(start + Fanout, from + size), writes)
      ends(node) = writes.size / 2
    }
    new Tracks(ends, writes.toArray)
  }

  /** Adds the maximum of the tracks [from, until) at each version at which it changes. */
  private def addGreatest(tracks: Tracks, from: Int, until: Int, writes: LongList): Unit = {
    val next = Array.tabulate(until - from)(i => tracks.from(from + i))
    val now = Array.fill(until - from)(-1L)
    var greatest = -1L
    var isDone = false
    while (!isDone) {
      isDone = true
      var version = Long.MaxValue
      var i = 0
      while (i < next.length) {
        if (next(i) < tracks.until(from + i)) {
          isDone = false
          version = math.min(version, tracks.version(next(i)))
        }
        i += 1
      }
      var maximum = -1L
      i = 0
      while (i < next.length) {
        if (next(i) < tracks.until(from + i) && tracks.version(next(i)) == version) {
          now(i) = tracks.value(next(i))
          next(i) += 1
        }
        maximum = math.max(maximum, now(i))
        i += 1
      }
      if (maximum != greatest) {
        writes.add(version)
        writes.add(maximum)
        greatest = maximum
      }
    }
  }
}

/** A cursor over the parts of a cell with many parts, at a version. It starts after the last part.
  *
  * Guarantee  the same results as reading the counters one by one
  * Cost       `seek` reads half of a node's children on each level; `toPrevious` usually reads one part
  */
private[history] final class PartCursor(maxima: PartMaxima, version: Long) {
  private var at = maxima.size

  // a part passed by `seek`, and the greatest counter before it
  private var knownPart = Int.MaxValue
  private var maxBeforeKnown = -1L

  /** The current part; −1 before the first that exists. */
  def part: Int = at

  /** Moves to the first part whose counter is at least `number` ≥ 0, or after the last part if there is none. */
  def seek(number: Long): Unit = {
    var level = maxima.height
    var until = maxima.nodes(level)
    var node = 0
    var greatest = -1L
    while (level >= 0) {
      knownPart = node
      maxBeforeKnown = greatest
      var value = -1L
      while (node < until && { value = maxima.value(level, node, version); value < number }) {
        greatest = math.max(greatest, value)
        node += 1
      }
      if (node == until) {
        // this happens on the top level only: if a node reaches the number, one of its children does
        knownPart = Int.MaxValue
        at = maxima.size
        level = -1
      } else {
        at = node
        level -= 1
        node *= PartMaxima.Fanout
        until = if (level < 0) 0 else math.min(node + PartMaxima.Fanout, maxima.nodes(level))
      }
    }
  }

  /** Moves to the previous part that exists. */
  def toPrevious(): Unit = at = maxima.previous(at, version)

  /** The greatest counter before the current part; −1 if none exists yet. */
  def greatestBefore: Long =
    if (at <= 0) -1L
    else if (at < knownPart) maxima.before(at, version)
    else {
      var greatest = maxBeforeKnown
      var i = knownPart
      while (i < at) { greatest = math.max(greatest, maxima.value(0, i, version)); i += 1 }
      greatest
    }
}
