package chronosketch.window

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, CodingErrorAction}
import java.nio.charset.StandardCharsets.UTF_8

import chronosketch.bucketing.{BucketList, Grid, Tie}
import chronosketch.codec.Wire
import chronosketch.domain.{Domain, TimeDomain}

/** Encodes the payload of a [[Windowed]] summary, as docs/format.md describes. A [[ContentWire]] encodes the contents of the
  * buckets.
  */
private[chronosketch] object WindowWire {
  private val SmallestBucket = 3

  // upper bounds for most buckets and keys
  private val BucketBytes = 8L
  private val KeyBytes = 9L

  def write(w: Wire.Writer, sketch: Windowed, contents: ContentWire): Unit = {
    TimeDomain.write(w, sketch.timeDomain)
    w.varint(sketch.retention)
    w.byte(sketch.filters.size)
    sketch.filters.foreach { name =>
      val bytes = name.getBytes(UTF_8)
      w.varint(bytes.length.toLong)
      bytes.foreach(w.byte(_))
    }
    w.zigzag(sketch.newest)
    w.varint(sketch.forgotten)
    val filled = (0 until sketch.classCount).filter(sketch.list(_).size > 0)
    w.byte(filled.size)
    filled.foreach { c =>
      w.byte(c)
      write(w, sketch.list(c), contents)
    }
  }

  private def write(w: Wire.Writer, list: BucketList, contents: ContentWire): Unit = {
    w.varint(list.size.toLong)
    w.expect(list.size * BucketBytes + list.tuples * KeyBytes)
    var time = Long.MinValue
    var key = 0L
    var i = 0
    while (i < list.size) {
      val level = list.level(i)
      w.byte(level)
      w.varint(difference(time, list.times(i), level))
      time = list.times(i)
      if (level == 0) {
        val next = Tie.key(list.ties(i))
        w.zigzag(next - key)
        key = next
        w.varint(list.counts(i))
      } else {
        if (level < Grid.OneTime) w.varint((list.ties(i) ^ Long.MinValue) >>> level)
        key = contents.write(w, list.counts(i), list.contents(i), key)
      }
      i += 1
    }
  }

  /** The difference between two times, in units of the cell width of this level. */
  private def difference(from: Long, to: Long, level: Int): Long = cellOf(to, level) - cellOf(from, level)

  // the index of the cell, an unsigned number
  private def cellOf(time: Long, level: Int): Long = {
    val bits = math.max(0, level - Grid.OneTime)
    if (bits == 64) 0L else (time ^ Long.MinValue) >>> bits
  }

  /** Reads a summary.
    * @param empty creates an empty summary from the type of the times, the retention and the filters
    */
  def read[S <: Windowed](
      r: Wire.Reader,
      empty: (Domain, Long, Vector[String]) => S,
      contents: ContentWire
  ): S = {
    val timeDomain = TimeDomain.read(r, "times")
    val retention = r.varint()
    if (retention < 1) throw r.corrupt(s"its retention is $retention")
    val filters = names(r)
    val sketch = empty(timeDomain, retention, filters)
    val newest = r.zigzag()
    val forgotten = r.varint()
    if (forgotten < 0) throw r.corrupt("its count has more than 63 bits")
    sketch.restore(newest, forgotten)
    val filled = r.byte()
    var count = 0L
    var last = -1
    var latest = Long.MinValue
    (1 to filled).foreach { _ =>
      val c = r.byte()
      if (c <= last || c >= sketch.classCount)
        throw r.corrupt(s"it has rows of class $c, which does not exist")
      val list = readList(r, sketch.domain, contents)
      if (list.size == 0) throw r.corrupt(s"class $c of its rows is empty")
      count = sum(r, count, list.count)
      latest = math.max(latest, list.times(list.size - 1))
      sketch.restore(c, list)
      last = c
    }
    if (latest > newest) throw r.corrupt("it has a row that is newer than its newest")
    sketch
  }

  private def names(r: Wire.Reader): Vector[String] = {
    val count = r.byte()
    if (count > Filters.Most) throw r.corrupt(s"it has $count filters")
    val filters = Vector.fill(count) {
      val bytes = new Array[Byte](r.size(1))
      bytes.indices.foreach(i => bytes(i) = r.byte().toByte)
      try
        UTF_8.newDecoder.onMalformedInput(CodingErrorAction.REPORT).decode(ByteBuffer.wrap(bytes)).toString
      catch { case _: CharacterCodingException => throw r.corrupt("the name of a filter is not text") }
    }
    if (filters.distinct != filters) throw r.corrupt("two of its filters have the same name")
    filters
  }

  private def sum(r: Wire.Reader, a: Long, b: Long): Long = {
    val total = a + b
    if (total < 0) throw r.corrupt("its count has more than 63 bits")
    total
  }

  private def readList(r: Wire.Reader, domain: Domain, contents: ContentWire): BucketList = {
    val n = r.size(SmallestBucket)
    val list = new BucketList(n)
    // indices of the buckets whose cells enclose the next one
    val around = new Array[Int](Grid.Everything + 1)
    var depth = 0
    var total = 0L
    var cell = Long.MinValue
    var key = 0L
    var i = 0
    while (i < n) {
      val level = r.byte()
      if (level > Grid.Everything) throw r.corrupt(s"it has a bucket of level $level")
      val time = later(r, cell, level)
      cell = time
      var content: AnyRef = null
      var count = 0L
      val tie = if (level == 0) {
        key += r.zigzag()
        if (!domain.holds(key)) throw r.corrupt(s"it has a value that ${domain.sql} can't have")
        count = r.varint()
        Tie.of(key)
      } else {
        val first = if (level < Grid.OneTime) firstTie(r, level) else Long.MinValue
        val read = contents.read(r, key)
        count = read.count
        content = read.content
        key = read.key
        first
      }
      if (count < 1) throw r.corrupt("it has an empty bucket")
      total = sum(r, total, count)
      list.add(time, tie, level, count, content)
      // each bucket lies inside the previous ones or after them
      while (
        depth > 0 && Grid.isBefore(
          list.lastTime(around(depth - 1)),
          list.lastTie(around(depth - 1)),
          time,
          tie
        )
      ) depth -= 1
      val isInOrder = i == 0 || !Grid.isBefore(time, tie, list.times(i - 1), list.ties(i - 1))
      if (!isInOrder || (depth > 0 && list.level(around(depth - 1)) <= level))
        throw r.corrupt("its buckets are not in order")
      around(depth) = i
      depth += 1
      i += 1
    }
    list
  }

  private def later(r: Wire.Reader, before: Long, level: Int): Long = {
    val from = cellOf(before, level)
    val cell = from + r.varint()
    val bits = math.max(0, level - Grid.OneTime)
    val isBeyond = bits == 64 && cell != 0 || bits > 0 && bits < 64 && (cell >>> (64 - bits)) != 0
    if (java.lang.Long.compareUnsigned(cell, from) < 0 || isBeyond)
      throw r.corrupt("its buckets are not in order")
    if (bits == 64) Long.MinValue else (cell << bits) ^ Long.MinValue
  }

  private def firstTie(r: Wire.Reader, level: Int): Long = {
    val cell = r.varint()
    if ((cell >>> (64 - level)) != 0) throw r.corrupt("a bucket is not on the grid")
    (cell << level) ^ Long.MinValue
  }
}
