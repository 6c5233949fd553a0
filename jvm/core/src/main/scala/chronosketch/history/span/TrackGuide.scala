package chronosketch.history.span

import chronosketch.memory.Meter

/** Where in a long track does a version lie, about?
  *
  * Guarantee  the numbers of the tracks
  * Cost       an int for four writes or more; a search among few writes, where they are evenly spread, instead of all
  *
  * The versions of all tracks are cut into slices of equal length, for each track into as many as suit its own. `slices` has, by slice,
  * the last write that is no later than its beginning, or else the first one; and after the last slice, the last write.
  */
private[history] final class TrackGuide(val tracks: Tracks) {
  private val first: Long = ends(math.min, tracks.from, Long.MaxValue)
  private val last: Long = ends(math.max, tracks.until(_) - 1, Long.MinValue)

  /** Bits of the greatest difference of two versions, which has no sign. */
  private val bits: Int = if (last < first) 0 else 64 - java.lang.Long.numberOfLeadingZeros(last - first)

  // of each track where its slices begin, and, in the lower half, its writes; one more, whose writes begin after the last
  private val heads = new Array[Long](tracks.size + 1)
  private val slices: Array[Int] = {
    var n = 0L
    var i = 0
    while (i < tracks.size) {
      val size = tracks.until(i) - tracks.from(i)
      heads(i) = n << 32 | tracks.from(i)
      heads(i + 1) = tracks.until(i).toLong
      if (size >= TrackGuide.Fewest) n += slicesOf(size) + 1
      i += 1
    }
    new Array[Int](Math.toIntExact(n))
  }

  locally {
    var i = 0
    while (i < tracks.size) {
      val size = tracks.until(i) - tracks.from(i)
      if (size >= TrackGuide.Fewest) fill(i, size)
      i += 1
    }
  }

  private def ends(better: (Long, Long) => Long, write: Int => Int, none: Long): Long = {
    var best = none
    var i = 0
    while (i < tracks.size) {
      if (tracks.from(i) < tracks.until(i)) best = better(best, tracks.version(write(i)))
      i += 1
    }
    best
  }

  /** How many bits a slice of a track with so many writes has: a track has a slice for four to sixteen writes. */
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

  /** The i-th number at a version; −1 before it was first written. */
  def at(i: Int, version: Long): Long = {
    val head = heads(i)
    val from = head.toInt
    val size = heads(i + 1).toInt - from
    if (size >= TrackGuide.Fewest) {
      val slice =
        (head >>> 32).toInt + ((math.max(first, math.min(last, version)) - first) >>> shift(size)).toInt
      val j = slices(slice)
      tracks.within(j, slices(slice + 1) - j + 1, version)
    } else if (size == 0) -1L
    else tracks.within(from, size, version)
  }

  def sizeBytes: Long = Meter.longs(heads.length) + Meter.longs(slices.length) / 2
}

private object TrackGuide {

  /** Of fewer writes a search finds the right one as soon. */
  private val Fewest = 8
}
