package chronosketch.history.span

import chronosketch.memory.Meter

/** Numbers that change from version to version. The writes of number i are [ends(i − 1), ends(i)), sorted by version.
  *
  * @param writes version and value alternate, so that both are in the same cache line
  */
private[history] final class Tracks(ends: Array[Int], writes: Array[Long]) {
  def size: Int = ends.length
  def from(i: Int): Int = if (i == 0) 0 else ends(i - 1)
  def until(i: Int): Int = ends(i)
  def version(j: Int): Long = writes(2 * j)
  def value(j: Int): Long = writes(2 * j + 1)

  /** Number i at a version; −1 before it was first written. */
  def at(i: Int, version: Long): Long = {
    val start = from(i)
    if (start == ends(i)) -1L else valueAt(start, ends(i) - start, version)
  }

  /** Whether number i has been written at the version or before. */
  def isWritten(i: Int, version: Long): Boolean = from(i) < ends(i) && this.version(from(i)) <= version

  /** The value at a version, if its last write at or before the version is in [j, j + size); −1 if all these writes are later. */
  def valueAt(j: Int, size: Int, version: Long): Long = {
    var found = j
    var left = size
    // branch-free: the outcomes of the comparisons are unpredictable
    while (left > 1) {
      val half = left >>> 1
      found = if (writes(2 * (found + half)) <= version) found + half else found
      left -= half
    }
    if (writes(2 * found) > version) -1L else writes(2 * found + 1)
  }

  def sizeBytes: Long = Meter.longs(writes.length) + Meter.longs(ends.length) / 2
}

/** An index that narrows the search for a version in a long track.
  *
  * Guarantee  the same numbers as the tracks
  * Cost       at most an int per four writes; a search among few writes, if they are evenly spread, instead of all
  *
  * The range of all versions is divided into slices of equal length, whose number depends on the track. `slices` has, for each slice, the
  * last write at or before its beginning, or else the first write; after the last slice it has the last write.
  */
private[history] final class TrackGuide(val tracks: Tracks) {
  private val first: Long = extreme(math.min, tracks.from, Long.MaxValue)
  private val last: Long = extreme(math.max, tracks.until(_) - 1, Long.MinValue)

  /** The number of bits of the greatest difference of two versions, as an unsigned number. */
  private val bits: Int = if (last < first) 0 else 64 - java.lang.Long.numberOfLeadingZeros(last - first)

  // for each track, the first slice in the upper half and the first write in the lower; one entry more for the end of the writes
  private val heads = new Array[Long](tracks.size + 1)
  private val slices: Array[Int] = {
    var n = 0L
    var i = 0
    while (i < tracks.size) {
      val size = tracks.until(i) - tracks.from(i)
      heads(i) = n << 32 | tracks.from(i)
      heads(i + 1) = tracks.until(i).toLong
      if (size >= TrackGuide.MinWrites) n += slicesOf(size) + 1
      i += 1
    }
    new Array[Int](Math.toIntExact(n))
  }

  locally {
    var i = 0
    while (i < tracks.size) {
      val size = tracks.until(i) - tracks.from(i)
      if (size >= TrackGuide.MinWrites) fill(i, size)
      i += 1
    }
  }

  /** The least or greatest version of all tracks, of the write that `write` chooses for each; `ifEmpty` if nothing was written. */
  private def extreme(better: (Long, Long) => Long, write: Int => Int, ifEmpty: Long): Long = {
    var best = ifEmpty
    var i = 0
    while (i < tracks.size) {
      if (tracks.from(i) < tracks.until(i)) best = better(best, tracks.version(write(i)))
      i += 1
    }
    best
  }

  /** The number of bits of a version inside a slice, for a track with `size` writes: a track has one slice per four to sixteen writes. */
  private def shift(size: Int): Int =
    math.max(0, bits - (29 - Integer.numberOfLeadingZeros(size)))

  private def slicesOf(size: Int): Int = ((last - first) >>> shift(size)).toInt + 1

  private def fill(i: Int, size: Int): Unit = {
    val n = slicesOf(size)
    val until = tracks.until(i)
    var j = tracks.from(i)
    var slice = 0
    while (slice < n) {
      val begin = first + (slice.toLong << shift(size))
      while (j + 1 < until && tracks.version(j + 1) <= begin) j += 1
      slices((heads(i) >>> 32).toInt + slice) = j
      slice += 1
    }
    slices((heads(i) >>> 32).toInt + n) = until - 1
  }

  /** Number i at a version; −1 before it was first written. */
  def at(i: Int, version: Long): Long = {
    val head = heads(i)
    val from = head.toInt
    val size = heads(i + 1).toInt - from
    if (size >= TrackGuide.MinWrites) {
      val slice =
        (head >>> 32).toInt + ((math.max(first, math.min(last, version)) - first) >>> shift(size)).toInt
      val j = slices(slice)
      tracks.valueAt(j, slices(slice + 1) - j + 1, version)
    } else if (size == 0) -1L
    else tracks.valueAt(from, size, version)
  }

  def sizeBytes: Long = Meter.longs(heads.length) + Meter.longs(slices.length) / 2
}

private object TrackGuide {

  /** Tracks with fewer writes are searched as fast without slices. */
  private val MinWrites = 8
}

/** Indexes of a span that make quantiles fast. They are built when a quantile is asked for: most spans that are decoded are never asked. */
private[history] final class SpanGuide(tracks: Tracks, parts: CellParts, cells: Int) {
  val counters: TrackGuide = new TrackGuide(tracks)

  private val maxima: Array[PartMaxima] = {
    val all = new Array[PartMaxima](cells)
    var g = 0
    while (g < cells) {
      val size = parts.until(g) - parts.from(g)
      if (size > SpanGuide.MaxScanned) all(g) = new PartMaxima(counters, cells + parts.from(g), size)
      g += 1
    }
    all
  }

  /** The maxima of a cell's parts if it has many parts; else null. */
  def maximaOf(cell: Int): PartMaxima = maxima(cell)

  def sizeBytes: Long =
    counters.sizeBytes + Meter.references(cells) + maxima.filter(_ != null).map(_.sizeBytes).sum
}

private object SpanGuide {

  /** Up to this many parts are read one by one as fast. */
  private val MaxScanned = 16
}
