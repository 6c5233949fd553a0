package chronosketch.history.span

import chronosketch.codec.{Rising, Wire}
import chronosketch.domain.Domain

/** Encodes and decodes a counted span, as described in docs/format.md. */
private[history] object CountedSpanWire {
  def write(w: Wire.Writer, span: CountedSpan): Unit = {
    val cells = span.starts.length
    w.byte(CountedSpan.Form)
    w.varint(cells.toLong)
    w.varint(span.blocks.fanout.toLong)
    w.byte(span.blocks.height)
    w.varint(span.tolerance.content)
    w.varint(span.tolerance.counter)
    w.varint(span.tolerance.count)
    w.zigzag(span.least)
    w.varint(span.greatest - span.least)
    w.varint(span.maxAlive)
    var i = 1
    while (i < cells) {
      if (i == 1) w.zigzag(span.starts(1)) else w.varint(span.starts(i) - span.starts(i - 1))
      i += 1
    }
    val below = sums(span)
    i = 0
    while (i < cells) { w.varint(below(i + 1) - below(i)); i += 1 }
    writeParts(w, span)
    i = 0
    while (i < span.counters.size) { writeTrack(w, span, i, i < cells); i += 1 }
  }

  /** How many elements were before each cell at the first version, and the total. */
  private def sums(span: CountedSpan): Array[Long] = {
    val cells = span.starts.length
    def initial(i: Int): Long = span.counters.value(span.counters.from(i))
    val below = new Array[Long](cells + 1)
    var g = 1
    while (g < cells) { below(g) = below(span.blocks.startOf(g)) + initial(g); g += 1 }
    below(cells) = initial(0)
    below
  }

  private def writeParts(w: Wire.Writer, span: CountedSpan): Unit = {
    w.varint(span.parts.starts.length.toLong)
    var cell = 0
    var g = 0
    while (g < span.starts.length) {
      var i = span.parts.from(g)
      while (i < span.parts.until(g)) {
        w.varint((g - cell).toLong)
        cell = g
        val before = if (i == span.parts.from(g)) span.starts(g) else span.parts.starts(i - 1)
        w.varint(span.parts.starts(i) - before)
        i += 1
      }
      g += 1
    }
  }

  /** Writes the track of counter i. If `isKnown`, its value at the first version follows from the cells and is left out. */
  private def writeTrack(w: Wire.Writer, span: CountedSpan, i: Int, isKnown: Boolean): Unit = {
    val t = span.counters
    val from = if (isKnown) t.from(i) + 1 else t.from(i)
    w.varint((t.until(i) - from).toLong)
    var version = span.first
    var value = if (isKnown) t.value(t.from(i)) else 0L
    var j = from
    while (j < t.until(i)) {
      w.varint(t.version(j) - version)
      w.zigzag(t.value(j) - value)
      version = t.version(j)
      value = t.value(j)
      j += 1
    }
  }

  /** Reads the bytes after the form. */
  def read(r: Wire.Reader, first: Long, domain: Domain): CountedSpan = {
    val cells = r.size(2)
    val blocks = readBlocks(r, cells)
    val tolerance = Tolerance(r.varint(), r.varint(), r.varint(), blocks.height)
    if (
      tolerance.content < 1 || tolerance.counter < 0 || tolerance.count < 0 || tolerance.path < 0 ||
      tolerance.counter > Long.MaxValue / (blocks.height + 1)
    )
      throw r.corrupt(s"it has the unknown tolerance $tolerance")
    val least = r.zigzag()
    val greatest = least + r.varint()
    if (greatest < least || !domain.holds(least) || !domain.holds(greatest))
      throw r.corrupt(s"its values from $least to $greatest are not of type ${domain.sql}")
    val maxAlive = r.varint()
    if (maxAlive < 0) throw r.corrupt("its count has more than 63 bits")
    val starts = new Array[Long](cells)
    starts(0) = Long.MinValue
    (1 until cells).foreach { i =>
      starts(i) = if (i == 1) r.zigzag() else Rising.next(r, starts(i - 1))
      if (starts(i) <= starts(i - 1)) throw r.corrupt("its cells are not in increasing order")
      requireValue(r, domain, starts(i), starts(i - 1), greatest)
    }
    val initial = readInitial(r, blocks)
    val parts = readParts(r, domain, starts, greatest)
    val ends = new Array[Int](cells + parts.starts.length)
    val writes = new LongList
    ends.indices.foreach { i =>
      if (i < cells) { writes.add(first); writes.add(initial(i)) }
      readTrack(r, first, if (i < cells) initial(i) else 0L, writes)
      ends(i) = writes.size / 2
    }
    val counters = new Tracks(ends, writes.toArray)
    val span = new CountedSpan(first, starts, blocks, tolerance, parts, counters, least, greatest, maxAlive)
    requireCreated(r, span, domain)
    span
  }

  private def readBlocks(r: Wire.Reader, cells: Int): CellBlocks = {
    val fanout = r.varint()
    val height = r.byte()
    def refuse: Nothing = throw r.corrupt(s"$cells cells lie in blocks of $fanout and $height levels")
    if (cells < 1 || fanout < 2 || fanout > math.max(2, cells) || height < 1 || height > 31) refuse
    // there must be as few levels as hold all cells
    var capacity = 1L
    var level = 1
    while (level < height) { capacity = math.min(capacity * fanout, cells.toLong); level += 1 }
    if (capacity * fanout < cells || (height > 1 && capacity >= cells)) refuse
    new CellBlocks(cells, fanout.toInt, height)
  }

  /** Checks that a cell begins with a key of the type, or right after the only key of the previous cell. */
  private def requireValue(
      r: Wire.Reader,
      domain: Domain,
      start: Long,
      before: Long,
      greatest: Long
  ): Unit = {
    if (!domain.holds(start) && start - 1 != before)
      throw r.corrupt(s"its cell $start is not of type ${domain.sql}")
    if (start > greatest && start - 1 != greatest) throw r.corrupt(s"its cell $start is above $greatest")
  }

  /** Reads the sizes of the cells at the first version, and derives the counters from them. */
  private def readInitial(r: Wire.Reader, blocks: CellBlocks): Array[Long] = {
    val below = new Array[Long](blocks.cells + 1)
    var i = 0
    while (i < blocks.cells) {
      val n = r.varint()
      below(i + 1) = below(i) + n
      if (n < 0 || below(i + 1) < 0) throw r.corrupt("its count has more than 63 bits")
      i += 1
    }
    Array.tabulate(blocks.cells) { g =>
      if (g == 0) below(blocks.cells) else below(g) - below(blocks.startOf(g))
    }
  }

  private def readParts(r: Wire.Reader, domain: Domain, starts: Array[Long], greatest: Long): CellParts = {
    val partStarts = new Array[Long](r.size(3))
    val ends = new Array[Int](starts.length)
    var cell = 0
    partStarts.indices.foreach { i =>
      val step = r.varint()
      if (step < 0 || step >= starts.length - cell) throw r.corrupt("a part is in no cell")
      val isNext = step > 0 || i == 0
      cell += step.toInt
      val before = if (isNext) starts(cell) else partStarts(i - 1)
      partStarts(i) = Rising.next(r, before)
      if (cell + 1 < starts.length && partStarts(i) >= starts(cell + 1))
        throw r.corrupt("a part begins after its cell")
      requireValue(r, domain, partStarts(i), before, greatest)
      ends(cell) = i + 1
    }
    (1 until ends.length).foreach(g => if (ends(g) < ends(g - 1)) ends(g) = ends(g - 1))
    new CellParts(partStarts, ends)
  }

  private def readTrack(
      r: Wire.Reader,
      first: Long,
      initial: Long,
      writes: LongList
  ): Unit = {
    val n = r.size(2)
    var version = first
    var value = initial
    (0 until n).foreach { _ =>
      version = Rising.next(r, version)
      value += r.zigzag()
      if (value < 0) throw r.corrupt(s"a counter is $value")
      writes.add(version)
      writes.add(value)
    }
  }

  /** Checks the parts that do not begin with a key of the type: each was created no earlier than the part before it. */
  private def requireCreated(r: Wire.Reader, span: CountedSpan, domain: Domain): Unit = {
    val cells = span.starts.length
    def created(part: Int): Long = {
      val t = span.counters
      if (t.from(cells + part) == t.until(cells + part)) throw r.corrupt("a part ends when it begins")
      t.version(t.from(cells + part))
    }
    var g = 0
    while (g < cells) {
      var i = span.parts.from(g)
      while (i < span.parts.until(g)) {
        val at = created(i)
        if (!domain.holds(span.parts.starts(i)) && i > span.parts.from(g) && created(i - 1) > at)
          throw r.corrupt(s"its part ${span.parts.starts(i)} is not of type ${domain.sql}")
        i += 1
      }
      g += 1
    }
  }
}
