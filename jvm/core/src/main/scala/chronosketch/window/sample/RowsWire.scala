package chronosketch.window.sample

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.window.ContentWire

/** Encodes rows and their priorities, as docs/format.md describes. */
private[sample] object RowsWire {

  /** Writes rows in order of time. */
  def write(w: Wire.Writer, rows: RetainedRows, floor: Long, ceiling: Long): Unit = if (rows.size > 0) {
    w.zigzag(floor)
    w.varint(ceiling - floor)
    w.varint(rows.size.toLong)
    w.expect(11L * rows.size)
    var time = 0L
    var i = 0
    while (i < rows.size) {
      if (i == 0) w.zigzag(rows.times(0)) else w.varint(rows.times(i) - time)
      time = rows.times(i)
      w.varint(rows.keys(i) - floor)
      w.varint(rows.priorities(i))
      i += 1
    }
  }

  def read(r: Wire.Reader, rows: RetainedRows, domain: Domain, floor: Long, ceiling: Long): Unit = {
    val m = r.size(3)
    rows.reserve(m)
    var time = 0L
    var i = 0
    while (i < m) {
      val next = if (i == 0) r.zigzag() else time + r.varint()
      if (i > 0 && next < time) throw r.corrupt("its rows are not in order of time")
      time = next
      val key = keyOf(r, domain, floor, floor, ceiling)
      rows.restore(time, priority(r), key)
      i += 1
    }
    if (!rows.isInOrder) throw r.corrupt("rows of one time are not in order")
  }

  def write(w: Wire.Writer, suffix: Suffix, floor: Long): Unit = {
    w.varint(suffix.keys.length.toLong)
    w.varint(suffix.laterPriorities.length.toLong)
    w.expect(11L * suffix.keys.length + 9L * suffix.laterPriorities.length)
    var before = floor
    var i = 0
    while (i < suffix.keys.length) {
      w.varint(suffix.keys(i) - before)
      before = suffix.keys(i)
      i += 1
    }
    suffix.priorities.foreach(w.varint)
    before = 0L
    suffix.laterPriorities.foreach { p =>
      w.varint(p - before)
      before = p
    }
  }

  /** Reads a suffix.
    * @param isWhole whether a number of rows is that of all rows
    */
  def read(
      r: Wire.Reader,
      domain: Domain,
      size: Int,
      floor: Long,
      ceiling: Long,
      isWhole: Int => Boolean
  ): Suffix = {
    val m = r.size(2)
    val late = r.size(1)
    if (m.toLong + late > size) throw r.corrupt(s"it has $m and $late rows, with room for $size")
    val keys, priorities = new Array[Long](m)
    var before = floor
    var i = 0
    while (i < m) { keys(i) = keyOf(r, domain, before, floor, ceiling); before = keys(i); i += 1 }
    i = 0
    while (i < m) {
      priorities(i) = priority(r)
      if (i > 0 && keys(i) == keys(i - 1) && priorities(i) < priorities(i - 1))
        throw r.corrupt("rows of one value are not in order")
      i += 1
    }
    val laterPriorities = new Array[Long](late)
    before = 0L
    i = 0
    while (i < late) {
      laterPriorities(i) = before + r.varint()
      if (laterPriorities(i) < before) throw r.corrupt("its priorities are not in increasing order")
      before = laterPriorities(i)
      i += 1
    }
    val isFull = m + late == size
    if (!isFull && (late > 0 || !isWhole(m)))
      throw r.corrupt(s"it has $m and $late rows, but should have $size")
    Suffix(keys, priorities, laterPriorities)
  }

  private def keyOf(r: Wire.Reader, domain: Domain, before: Long, floor: Long, ceiling: Long): Long = {
    val key = before + r.varint()
    if (key < before || key > ceiling || key < floor || !domain.holds(key))
      throw r.corrupt(s"a value is not from $floor to $ceiling, or is not of type ${domain.sql}")
    key
  }

  private def priority(r: Wire.Reader): Long = {
    val priority = r.varint()
    if (priority < 0) throw r.corrupt("a priority has more than 63 bits")
    priority
  }
}

/** Encodes buckets that store only the number of their rows. */
private[sample] object CountsWire extends ContentWire {
  def write(w: Wire.Writer, count: Long, content: AnyRef, key: Long): Long = {
    w.varint(count)
    key
  }

  def read(r: Wire.Reader, key: Long): ContentWire.Read = ContentWire.Read(r.varint(), null, key)
}
