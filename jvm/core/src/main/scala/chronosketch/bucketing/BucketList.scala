package chronosketch.bucketing

import java.util.Arrays

import chronosketch.domain.Cast
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.memory.Meter

/** A sorted list of buckets: for each its cell, its number of elements and its contents.
  *
  * Guarantee  sorted by first position; of two buckets that begin at the same position the larger comes first. So the buckets inside
  *            a cell are contiguous and follow the bucket of that cell, if there is one. No two buckets have the same cell
  * Cost       29 bytes per bucket plus its contents. A bucket of one position has no contents, a bucket of few elements an array of keys
  * Units      positions as in [[Grid]]
  * Merge      [[BucketList.union]]
  *
  * `contents` is null at level 0, where the tie determines the key. Else it is what the [[BucketPolicy]] makes: a sorted `Array[Long]`
  * of keys, a `GreenwaldKhanna` or a [[Content]].
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

  /** Whether all buckets of this list begin before the first bucket of the other list. */
  def endsBefore(that: BucketList): Boolean =
    size == 0 || (that.size > 0 && Grid.isBefore(
      times(size - 1),
      ties(size - 1),
      that.times(0),
      that.ties(0)
    ))

  /** Appends a list. Requires `endsBefore(that)`. */
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

  /** Whether bucket i sorts before bucket j of the other list. */
  private def isBefore(i: Int, that: BucketList, j: Int): Boolean =
    if (times(i) == that.times(j) && ties(i) == that.ties(j)) level(i) > that.level(j)
    else Grid.isBefore(times(i), ties(i), that.times(j), that.ties(j))

  private def isSameCell(i: Int, that: BucketList, j: Int): Boolean =
    times(i) == that.times(j) && ties(i) == that.ties(j) && levels(i) == that.levels(j)

  /** The first bucket in [from, until) that begins at or after the position; `until` if there is none. */
  def firstFrom(from: Int, until: Int, time: Long, tie: Long): Int = {
    var low = from
    var high = until
    while (low < high) {
      val mid = (low + high) >>> 1
      if (Grid.isBefore(times(mid), ties(mid), time, tie)) low = mid + 1 else high = mid
    }
    low
  }

  /** The same buckets with their keys cast. The tie of a bucket of one position is made of its key, so the buckets of one time are put
    * into order again. Any order of them is valid, because ties say nothing of the values. `content` casts the contents of other buckets.
    */
  def castBy(cast: Cast, content: AnyRef => AnyRef): BucketList = {
    val tiesAfter = Array.tabulate(size)(i => if (level(i) == 0) Tie.of(cast(Tie.key(ties(i)))) else ties(i))
    val result = new BucketList(size)
    var from = 0
    while (from < size) {
      var until = from + 1
      while (until < size && times(until) == times(from)) until += 1
      val order = Array.range(from, until).sortWith { (i, j) =>
        if (tiesAfter(i) == tiesAfter(j)) level(i) > level(j) else tiesAfter(i) < tiesAfter(j)
      }
      order.foreach { i =>
        val last = result.size - 1
        val isRepeated = last >= 0 && level(i) == 0 && result.level(last) == 0 &&
          result.times(last) == times(i) && result.ties(last) == tiesAfter(i)
        if (isRepeated) result.counts(last) += counts(i)
        else result.add(
          times(i),
          tiesAfter(i),
          level(i),
          counts(i),
          if (level(i) == 0) null else content(contents(i))
        )
      }
      from = until
    }
    result
  }

  def count: Long = {
    var total = 0L
    var i = 0
    while (i < size) { total += counts(i); i += 1 }
    total
  }

  /** The number of keys and tuples stored in all buckets. */
  def tuples: Long = {
    var total = 0L
    var i = 0
    while (i < size) {
      total += (contents(i) match {
        case keys: Array[Long] => keys.length
        case sketch: GreenwaldKhanna => sketch.tuples
        case content: Content => content.stored
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
        case content: Content => total += content.sizeBytes
        case _ =>
      }
      i += 1
    }
    total
  }
}

private[chronosketch] object BucketList {

  /** The buckets of both lists. Two buckets of the same cell become one, with contents united by `join`. */
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
