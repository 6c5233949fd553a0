package chronosketch.history.span

import java.util.Arrays

import chronosketch.codec.{Rising, Wire}
import chronosketch.domain.Domain
import chronosketch.history.live.LiveValues
import chronosketch.memory.Meter
import chronosketch.rank.RankProfile
import chronosketch.sort.PairSort

/** A span of few elements, stored exactly: the elements at the first version, and each change since.
  *
  * Guarantee  exact
  * Cost       a profile takes a pass over the elements at the first version, and a sort of the changes since, of which there are at most
  *            [[LoggedSpan.maxChanges]]
  *
  * `keys` increase and `copies` are at least 1. Version `versions(i)` made the changes [ends(i − 1), ends(i)), sorted by key.
  */
private[history] final class LoggedSpan(
    val first: Long,
    keys: Array[Long],
    copies: Array[Long],
    versions: Array[Long],
    ends: Array[Int],
    changedKeys: Array[Long],
    changes: Array[Long]
) extends Span {

  def sizeBytes: Long =
    Seq(keys, copies, versions, changedKeys, changes).map(a => Meter.longs(a.length)).sum +
      Meter.longs(ends.length) / 2 + Meter.ObjectBytes

  lazy val maxAlive: Long = {
    var count = copies.sum
    var greatest = count
    var i, at = 0
    while (i < ends.length) {
      while (at < ends(i)) { count += changes(at); at += 1 }
      greatest = math.max(greatest, count)
      i += 1
    }
    greatest
  }

  /** None: a profile is no larger than the span. */
  def counted: Option[CountedSpan] = None

  def profile(version: Long, domain: Domain): RankProfile = {
    val until = changesUntil(version)
    val changedBy = Arrays.copyOf(changes, until)
    val changed = Arrays.copyOf(changedKeys, until)
    new PairSort().sort(changed, changedBy, until)
    val (aliveKeys, ranks) = (new Array[Long](keys.length + until), new Array[Long](keys.length + until))
    var o, i, j = 0
    var count = 0L
    while (i < keys.length || j < until) {
      val key =
        if (j == until || (i < keys.length && keys(i) < changed(j))) keys(i) else changed(j)
      var alive = 0L
      if (i < keys.length && keys(i) == key) { alive = copies(i); i += 1 }
      while (j < until && changed(j) == key) { alive += changedBy(j); j += 1 }
      if (alive > 0) {
        count += alive
        aliveKeys(o) = key
        ranks(o) = count
        o += 1
      }
    }
    val exactRanks = Arrays.copyOf(ranks, o)
    RankProfile.certain(o, Arrays.copyOf(aliveKeys, o), exactRanks, exactRanks, count)
  }

  private def changesUntil(version: Long): Int = {
    val found = Arrays.binarySearch(versions, version)
    val last = if (found >= 0) found else -found - 2
    if (last < 0) 0 else ends(last)
  }

  def write(w: Wire.Writer): Unit = {
    w.byte(LoggedSpan.Form)
    w.varint(keys.length.toLong)
    Rising.write(w, keys, keys.length)
    copies.foreach(n => w.varint(n))
    w.varint(versions.length.toLong)
    var version = first
    var i = 0
    while (i < versions.length) {
      w.varint(versions(i) - version)
      version = versions(i)
      val from = if (i == 0) 0 else ends(i - 1)
      w.varint((ends(i) - from).toLong)
      var at = from
      while (at < ends(i)) {
        if (at == from) w.zigzag(changedKeys(at)) else w.varint(changedKeys(at) - changedKeys(at - 1))
        w.zigzag(changes(at))
        at += 1
      }
      i += 1
    }
  }
}

private[history] object LoggedSpan {
  val Form = 0

  /** How many changes a span may have that began with `distinct` keys. With more, writing them costs as much as a new span. */
  def maxChanges(distinct: Long): Long = 2 * distinct + 64

  /** Reads the bytes after [[Form]]. Refuses changes that delete more copies than are alive, and counts of more than 63 bits. */
  def read(r: Wire.Reader, first: Long, domain: Domain): LoggedSpan = {
    val keys = Rising.read(r, r.size(2))
    if (!domain.holdsAll(keys, keys.length)) throw r.corrupt(s"a value alive is not of type ${domain.sql}")
    val copies = new Array[Long](keys.length)
    keys.indices.foreach { i =>
      copies(i) = r.varint()
      if (copies(i) < 1) throw r.corrupt(s"${copies(i)} copies of a value are alive")
    }
    val versions = new Array[Long](r.size(4))
    val ends = new Array[Int](versions.length)
    val changed, changes = new LongList
    var version = first
    versions.indices.foreach { i =>
      version = Rising.next(r, version)
      versions(i) = version
      val n = r.size(2)
      if (n == 0) throw r.corrupt("a version changes nothing")
      var key = 0L
      (0 until n).foreach { j =>
        key = if (j == 0) r.zigzag() else Rising.next(r, key)
        if (!domain.holds(key)) throw r.corrupt(s"a value that changes is not of type ${domain.sql}")
        changed.add(key)
        changes.add(r.zigzag())
      }
      ends(i) = changed.size
    }
    val (allKeys, allChanges) = (changed.toArray, changes.toArray)
    check(r, keys, copies, allKeys, allChanges)
    new LoggedSpan(first, keys, copies, versions, ends, allKeys, allChanges)
  }

  private def check(
      r: Wire.Reader,
      keys: Array[Long],
      copies: Array[Long],
      changed: Array[Long],
      changes: Array[Long]
  ): Unit = {
    var count = 0L
    def add(change: Long): Unit = {
      count += change
      // deletes never exceed the copies alive, so a negative sum has overflowed
      if (count < 0) throw r.corrupt("its count has more than 63 bits")
    }
    copies.foreach(add)
    val n = changed.length
    val order = Array.range(0, n)
    val sorted = changed.clone()
    new PairSort().sort(sorted, order, 0, n)
    var i, at = 0
    while (i < n) {
      val key = sorted(i)
      while (at < keys.length && keys(at) < key) at += 1
      var alive = if (at < keys.length && keys(at) == key) copies(at) else 0L
      while (i < n && sorted(i) == key) {
        val change = changes(order(i))
        alive += change
        if (alive < 0 || change == 0) throw r.corrupt(s"a version changes the copies of a value by $change")
        i += 1
      }
    }
    changes.foreach(add)
  }
}

/** Builds a span of few elements from the values alive at its first version and the changes since.
  *
  * @param isExact whether so few elements are alive that they must be stored exactly; else the span ends
  */
private[history] final class LoggedSpanBuilder(first: Long, live: LiveValues, isExact: () => Boolean)
    extends SpanBuilder {
  private val keys = new Array[Long](Math.toIntExact(live.distinct))
  private val copies = new Array[Long](keys.length)
  private val versions, ends, changedKeys, changes = new LongList
  private val maxChanges = LoggedSpan.maxChanges(keys.length.toLong)

  locally {
    val walk = live.walk
    var i = 0
    while (i < keys.length) {
      keys(i) = walk.key
      copies(i) = walk.copies
      walk.next()
      i += 1
    }
  }

  private def ended: Int = if (ends.size == 0) 0 else ends(ends.size - 1).toInt

  /** Stores up to one change more than allowed, so that `endVersion` sees that the version does not fit. */
  def change(key: Long, change: Long): Unit = if (changes.size <= maxChanges) {
    changedKeys.add(key)
    changes.add(change)
  }

  def endVersion(version: Long): Boolean =
    isExact() && changes.size <= maxChanges && {
      if (changes.size > ended) {
        versions.add(version)
        ends.add(changes.size.toLong)
      }
      true
    }

  def finish(): Span = {
    changedKeys.truncate(ended)
    changes.truncate(ended)
    new LoggedSpan(
      first,
      keys,
      copies,
      versions.toArray,
      ends.toArray.map(_.toInt),
      changedKeys.toArray,
      changes.toArray
    )
  }

  def sizeBytes: Long =
    2 * Meter.longs(keys.length) + 2 * Meter.longs(versions.room) + 2 * Meter.longs(changes.room)
}
