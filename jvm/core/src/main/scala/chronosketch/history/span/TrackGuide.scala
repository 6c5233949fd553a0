package chronosketch.history.span

import chronosketch.memory.Meter

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
