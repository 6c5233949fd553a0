package chronosketch.bucketing

import java.util.Arrays

import chronosketch.quantile.GreenwaldKhanna
import chronosketch.memory.Meter

/** Which buckets are there, of which cells, with how many elements and which?
  *
  * Guarantee  in order of their first position, and of two that begin alike the larger first: what lies inside a cell stands
  *            together, behind the bucket of that cell if there is one. No two have one cell
  * Cost       29 bytes a bucket beside its contents: none where it has one position, an array of keys where it has few elements
  * Units      positions as in [[Grid]]
  * Merge      [[BucketList.union]]
  *
  * `contents` is null at level 0 (the key is that of the tie), else what [[Holding]] makes: an `Array[Long]`
  * of keys in order or a `GreenwaldKhanna`, or a [[Content]].
  */
private[chronosketch] final class BucketList(initial: Int) {
  var size = 0
  var times, ties, counts: Array[Long] = new Array[Long](initial)
  var levels: Array[Byte] = new Array[Byte](initial)
  var contents: Array[AnyRef] = new Array[AnyRef](initial)

  def level(i: Int): Int = levels(i) & 0xff
  def lastTime(i: Int): Long = Grid.lastTime(times(i), level(i))
  def lastTie(i: Int): Long = Grid.lastTie(ties(i), level(i))

  def add(time: Long, tie: Long, level: Int, count: Long, content: AnyRef): Unit = {
    if (size == times.length) resize(math.max(16, 2 * size))
    times(size) = time
    ties(size) = tie
    levels(size) = level.toByte
    counts(size) = count
    contents(size) = content
    size += 1
  }

  def add(that: BucketList, i: Int): Unit =
    add(that.times(i), that.ties(i), that.level(i), that.counts(i), that.contents(i))

  /** Whether all of its buckets begin before the first of another. */
  def endsBefore(that: BucketList): Boolean =
    size == 0 || (that.size > 0 && Grid.isBefore(
      times(size - 1),
      ties(size - 1),
      that.times(0),
      that.ties(0)
    ))

  /** Those of another, before which it ends. */
  def addAll(that: BucketList): Unit = {
    if (times.length - size < that.size) resize(math.max(size + that.size, 2 * size))
    System.arraycopy(that.times, 0, times, size, that.size)
    System.arraycopy(that.ties, 0, ties, size, that.size)
    System.arraycopy(that.levels, 0, levels, size, that.size)
    System.arraycopy(that.counts, 0, counts, size, that.size)
    System.arraycopy(that.contents, 0, contents, size, that.size)
    size += that.size
  }

  private def resize(room: Int): Unit = {
    times = Arrays.copyOf(times, room)
    ties = Arrays.copyOf(ties, room)
    levels = Arrays.copyOf(levels, room)
    counts = Arrays.copyOf(counts, room)
    contents = Arrays.copyOf(contents, room)
  }

  /** Whether the i-th bucket's place in the order is before that of the j-th of another. */
  private def isBefore(i: Int, that: BucketList, j: Int): Boolean =
    if (times(i) == that.times(j) && ties(i) == that.ties(j)) level(i) > that.level(j)
    else Grid.isBefore(times(i), ties(i), that.times(j), that.ties(j))

  private def isSameCell(i: Int, that: BucketList, j: Int): Boolean =
    times(i) == that.times(j) && ties(i) == that.ties(j) && levels(i) == that.levels(j)

  /** The first bucket from `from` until `until` that begins at the position or after it. */
  def firstFrom(from: Int, until: Int, time: Long, tie: Long): Int = {
    var low = from
    var high = until
    while (low < high) {
      val mid = (low + high) >>> 1
      if (Grid.isBefore(times(mid), ties(mid), time, tie)) low = mid + 1 else high = mid
    }
    low
  }

  def count: Long = {
    var total = 0L
    var i = 0
    while (i < size) { total += counts(i); i += 1 }
    total
  }

  /** What is stored: keys, or tuples, of all buckets. */
  def tuples: Long = {
    var total = 0L
    var i = 0
    while (i < size) {
      total += (contents(i) match {
        case keys: Array[Long] => keys.length
        case sketch: GreenwaldKhanna => sketch.tuples
        case other: Content => other.stored
        case _ => 1
      })
      i += 1
    }
    total
  }

  def sizeBytes: Long = {
    var total =
      3 * Meter.longs(times.length) + Meter.longs(levels.length / 8) + Meter.references(contents.length)
    var i = 0
    while (i < size) {
      contents(i) match {
        case keys: Array[Long] => total += Meter.longs(keys.length)
        case sketch: GreenwaldKhanna => total += sketch.sizeBytes
        case other: Content => total += other.sizeBytes
        case _ =>
      }
      i += 1
    }
    total
  }
}

private[chronosketch] object BucketList {

  /** The buckets of both; of two of one cell one, by `join`. */
  def union(a: BucketList, b: BucketList, join: (AnyRef, AnyRef) => AnyRef): BucketList = {
    val both = new BucketList(a.size + b.size)
    var i, j = 0
    while (i < a.size || j < b.size) {
      if (j == b.size) { both.add(a, i); i += 1 }
      else if (i == a.size) { both.add(b, j); j += 1 }
      else if (a.isSameCell(i, b, j)) {
        val content =
          if (a.level(i) == 0) null else join(a.contents(i), b.contents(j))
        both.add(a.times(i), a.ties(i), a.level(i), a.counts(i) + b.counts(j), content)
        i += 1
        j += 1
      } else if (a.isBefore(i, b, j)) { both.add(a, i); i += 1 }
      else { both.add(b, j); j += 1 }
    }
    both
  }
}
