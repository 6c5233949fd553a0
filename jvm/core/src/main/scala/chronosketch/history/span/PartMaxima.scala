package chronosketch.history.span

/** What is the greatest counter among neighbouring parts of a cell?
  *
  * Guarantee  what reading the counters one by one finds
  * Cost       a few counters on each level, of which there are log₈ of the parts; memory: on each level no more writes than the parts
  *            have
  *
  * A cell that was split again and again has hundreds of parts, and what counts is the greatest counter up to each. Eight neighbours
  * make a node, eight nodes one of the next level; a node is written when the greatest number below it changes. Parts are told by their
  * places in the cell, `first` being the counter of the one at 0.
  */
private[history] final class PartMaxima(counters: TrackGuide, first: Int, val size: Int) {
  import PartMaxima._

  // the levels above the parts, the last of which has no more nodes than one would have children
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

  /** Levels above the parts. */
  def height: Int = levels.length
  def nodes(level: Int): Int = if (level == 0) size else levels(level - 1).tracks.size

  /** The greatest counter in a node at a version; on level 0 that of a part; −1 where none is there. */
  def value(level: Int, node: Int, version: Long): Long =
    if (level == 0) counters.at(first + node, version) else levels(level - 1).at(node, version)

  private def isThere(level: Int, node: Int, version: Long): Boolean =
    if (level == 0) counters.tracks.isWritten(first + node, version)
    else levels(level - 1).tracks.isWritten(node, version)

  /** The greatest counter of the parts before one; −1 where none is there. */
  def before(part: Int, version: Long): Long = {
    var greatest = -1L
    var level = 0
    var end = part
    while (level <= levels.length) {
      // above the last level nodes have no parent
      var node = if (level == levels.length) 0 else end & -Fanout
      while (node < end) { greatest = math.max(greatest, value(level, node, version)); node += 1 }
      end >>= Bits
      level += 1
    }
    greatest
  }

  /** The last part before one that is there at a version; −1 where none is. */
  def previous(part: Int, version: Long): Int = {
    var until = part
    while (until > 0 && !isThere(0, until - 1, version)) {
      var level = 0
      while (
        level < levels.length && (until & ((Fanout << Bits * level) - 1)) == 0 &&
        !isThere(level + 1, (until >> Bits * (level + 1)) - 1, version)
      ) level += 1
      until -= 1 << Bits * level
    }
    until - 1
  }

  /** The first part, from one on, that is there at a version; `size` where none is. */
  def next(part: Int, version: Long): Int = {
    var from = part
    while (from < size && !isThere(0, from, version)) {
      var level = 0
      while (
        level < levels.length && (from & ((Fanout << Bits * level) - 1)) == 0 &&
        !isThere(level + 1, from >> Bits * (level + 1), version)
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

  /** The greatest of each eight of `size` tracks, from one on. */
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

  /** Adds, by version, what the greatest of some tracks has become where it changes. */
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
      var most = -1L
      i = 0
      while (i < next.length) {
        if (next(i) < tracks.until(from + i) && tracks.version(next(i)) == version) {
          now(i) = tracks.value(next(i))
          next(i) += 1
        }
        most = math.max(most, now(i))
        i += 1
      }
      if (most != greatest) {
        writes.add(version)
        writes.add(most)
        greatest = most
      }
    }
  }
}

/** A place among the parts of a cell that has many, at a version; first, after the last.
  *
  * Guarantee  what reading the counters one by one finds
  * Cost       to a number: half of a node's children on each level; back by one: usually that part alone
  */
private[history] final class PartCursor(maxima: PartMaxima, version: Long) {
  private var at = maxima.size

  // a part, and the greatest counter before it: known from the way to a number
  private var known = Int.MaxValue
  private var passed = -1L

  /** The part; −1 before the first that is there. */
  def part: Int = at

  /** To the first part whose counter is no less than a number that is not negative; after the last where there is none. */
  def toNumber(number: Long): Unit = {
    var level = maxima.height
    var until = maxima.nodes(level)
    var node = 0
    var greatest = -1L
    while (level >= 0) {
      known = node
      passed = greatest
      var value = -1L
      while (node < until && { value = maxima.value(level, node, version); value < number }) {
        greatest = math.max(greatest, value)
        node += 1
      }
      if (node == until) {
        // at the top only: a node reaches what one of its children does
        known = Int.MaxValue
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

  /** Back by one that is there. */
  def toPrevious(): Unit = at = maxima.previous(at, version)

  /** The greatest counter before it; −1 where none is there. */
  def greatestBefore: Long =
    if (at <= 0) -1L
    else if (at < known) maxima.before(at, version)
    else {
      var greatest = passed
      var i = known
      while (i < at) { greatest = math.max(greatest, maxima.value(0, i, version)); i += 1 }
      greatest
    }
}
