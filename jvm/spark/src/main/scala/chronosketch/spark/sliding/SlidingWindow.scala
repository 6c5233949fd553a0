package chronosketch.spark.sliding

import java.util.Arrays

import chronosketch.sliding.Frames

/** What is kept of consecutive rows, group after group, and the answers of a segment of them.
  *
  * A segment is as many rows as a few of the longest frames: what its frames reach is there and slides as a whole, groups too that
  * are smaller. What no frame reaches any more is dropped.
  *
  * Memory  what the frames of a segment reach: 8 bytes a row for each column and frame
  */
final class SlidingWindow(spec: SlidingSpec, source: OrderedRows, memory: SlidingMemory) {
  private val elements = spec.elements.length
  private val drivers = spec.frames.map(new FrameDriver(_, spec.nullsFirst)).toArray
  private val structures = spec.structures.toArray
  private val kept = new KeptBytes(memory)
  private val sliders = structures.map(Slider.of(_, kept))
  private val asked = structures.map(_.asks.length)
  private val answersEmpty = structures.map(_.kind.answersEmpty)
  private val mostWords = structures.map(s => math.max(s.asks.length, 1) * s.kind.words).max.max(1)
  private val isOfBytes = spec.elementsOfBytes
  private val keepsBytes = isOfBytes.contains(true)
  private val fewestRows = if (keepsBytes) SlidingWindow.FewestRowsOfBytes else SlidingWindow.FewestRows
  private val framesASegment = if (keepsBytes) 1L else 4L

  /** Of each row in the window: its order key, bits that say what is NULL (0 the order key, then the elements), and each element's
    * key, or the number of its bytes.
    */
  var order, flags = new Array[Long](0)
  val values: Array[Array[Long]] = Array.fill(elements)(new Array[Long](0))

  /** How many rows are in the window. */
  var filled = 0

  // where groups end that are complete and not yet settled
  private var ends = new Array[Int](16)
  private var endCount = 0

  private var segment = 0 // the first row of the segment
  private var ready = 0 // how many rows it has
  private var target = fewestRows
  private var granted = 0L
  private var groups = 0L

  // of each structure: the answers of the segment, and the frames that they are of
  private val answers = Array.fill(structures.length)(new Array[Long](0))
  private val frames = new Array[Frames](structures.length)
  private val froms, untils = Array.fill(structures.length)(new Array[Int](0))
  private val outcomes = new Array[Array[Byte]](structures.length)
  private val compact = structures.map(s => Array.fill(s.elements.length + 1)(new Array[Long](0)))
  private var before = new Array[Int](0)

  /** How long sliding took. */
  var slideNanos = 0L

  def groupCount: Long = groups

  /** Room for so many rows more. */
  def reserve(rows: Int): Unit =
    if (filled + rows > order.length) {
      val length = math.max(filled + rows, filled + filled / 2)
      val wanted = SlidingWindow.rowBytes(spec) * length
      // what is refused is taken nevertheless: a frame cannot be answered without its elements
      if (wanted > granted && memory.take(wanted - granted)) granted = wanted
      order = Arrays.copyOf(order, length)
      flags = Arrays.copyOf(flags, length)
      var i = 0
      while (i < elements) { values(i) = Arrays.copyOf(values(i), length); i += 1 }
      drivers.foreach(_.resize(length))
    }

  /** The number by which bytes are found while a frame reaches their row. */
  def keep(bytes: Array[Byte]): Long = kept.add(bytes)

  /** The group of the last row is complete. */
  def endGroup(): Unit = {
    if (endCount == ends.length) ends = Arrays.copyOf(ends, 2 * endCount)
    ends(endCount) = filled
    endCount += 1
    groups += 1
  }

  /** Goes on to the next segment: how many rows it has, 0 after the last. */
  def advance(): Int = {
    segment += ready
    ready = 0
    drop()
    var wanted = target
    while (ready == 0 || (ready < wanted / 2 && !source.isExhausted)) {
      if (source.isExhausted && filled == segment) return 0
      source.load(this, segment + wanted - filled)
      settle()
      if (ready == 0 && wanted == SlidingWindow.MostRows) throw new IllegalStateException(
        "a frame has more rows than an array can hold"
      )
      wanted = math.min(wanted, SlidingWindow.MostRows / 2) * 2
    }
    ready = math.min(ready, SlidingWindow.MostRows / mostWords)
    val started = System.nanoTime()
    var s = 0
    while (s < structures.length) { slide(s); s += 1 }
    slideNanos += System.nanoTime() - started
    aim()
    ready
  }

  private def settle(): Unit = {
    var least = Int.MaxValue
    var d = 0
    while (d < drivers.length) {
      drivers(d).run(order, flags, ends, endCount, filled)
      least = math.min(least, drivers(d).settled)
      d += 1
    }
    endCount = 0
    ready = least - segment
  }

  /** The next segment is a few times as long as the longest frame at the end of this one. */
  private def aim(): Unit = {
    val last = segment + ready - 1
    var longest = 0
    drivers.foreach(d => longest = math.max(longest, d.until(last) - d.from(last)))
    target =
      math.min(math.max(framesASegment * longest, fewestRows.toLong), SlidingWindow.MostRows.toLong).toInt
  }

  /** Drops the rows in front that no frame reaches, where they are many. */
  private def drop(): Unit = {
    var low = segment
    drivers.foreach(d => low = math.min(low, d.needed(segment)))
    if (keepsBytes) dropBytes(low)
    if (low > 0 && low >= filled - low) {
      val kept = filled - low
      System.arraycopy(order, low, order, 0, kept)
      System.arraycopy(flags, low, flags, 0, kept)
      values.foreach(v => System.arraycopy(v, low, v, 0, kept))
      drivers.foreach(_.shift(low))
      filled = kept
      segment -= low
    }
  }

  /** Of the rows before this one. */
  private def dropBytes(low: Int): Unit = {
    var least = kept.nextNumber
    var e = 0
    while (e < elements) {
      if (isOfBytes(e)) {
        var i = low
        while (i < filled && (flags(i) & (2L << e)) != 0L) i += 1
        if (i < filled) least = math.min(least, values(e)(i))
      }
      e += 1
    }
    kept.dropBefore(least)
  }

  private def slide(s: Int): Unit = {
    val structure = structures(s)
    val driver = drivers(structure.frame)
    val n = ready
    if (froms(s).length < n) {
      froms(s) = new Array[Int](n + n / 4)
      untils(s) = new Array[Int](n + n / 4)
      if (structure.kind.words > 0) answers(s) = new Array[Long](asked(s) * (n + n / 4))
      if (structure.kind.hasOutcomes) outcomes(s) = new Array[Byte](asked(s) * (n + n / 4))
    }
    val (from, until) = (froms(s), untils(s))
    System.arraycopy(driver.from, segment, from, 0, n)
    System.arraycopy(driver.until, segment, until, 0, n)
    val columns = present(s, structure.elements, from, until, n)
    frames(s) = new Frames(from, until, n)
    sliders(s).slide(columns, frames(s), answers(s), outcomes(s))
  }

  /** The elements that there are, what stands beside them, and their flags where something does; frames of rows become frames of
    * elements.
    */
  private def present(
      s: Int,
      elements: Seq[Int],
      from: Array[Int],
      until: Array[Int],
      n: Int
  ): Array[Array[Long]] = {
    val (first, end) = (from(0), until(n - 1))
    val bit = 2L << elements.head
    val flags = this.flags
    var some = 0L
    var i = first
    while (i < end) { some |= flags(i); i += 1 }
    val columns = elements.map(values(_)).toArray
    val all = if (columns.length > 1) columns :+ flags else columns
    if ((some & bit) == 0L) all
    else {
      if (before.length < end - first + 1) before = new Array[Int](end - first + 1 + (end - first) / 4)
      val before1 = before
      var count = 0
      i = first
      while (i < end) {
        before1(i - first) = count
        if ((flags(i) & bit) == 0L) count += 1
        i += 1
      }
      before1(end - first) = count
      val there = all.indices.map(c => keep(s, c, all(c), bit, first, end)).toArray
      i = 0
      while (i < n) {
        from(i) = before1(from(i) - first)
        until(i) = before1(until(i) - first)
        i += 1
      }
      there
    }
  }

  /** One column of the elements that there are. */
  private def keep(s: Int, c: Int, column: Array[Long], bit: Long, first: Int, end: Int): Array[Long] = {
    if (compact(s)(c).length < end - first) compact(s)(c) = new Array[Long](end - first + (end - first) / 4)
    val there = compact(s)(c)
    val flags = this.flags
    var count = 0
    var i = first
    while (i < end) {
      if ((flags(i) & bit) == 0L) {
        there(count) = column(i)
        count += 1
      }
      i += 1
    }
    there
  }

  /** What becomes of an answer to the i-th row of the segment. */
  def outcome(structure: Int, i: Int, place: Int): Int = {
    val known = outcomes(structure)
    if (known != null) known(i * asked(structure) + place).toInt
    else if (froms(structure)(i) == untils(structure)(i) && !answersEmpty(structure)) Outcome.Null
    else Outcome.Value
  }

  /** The word of an answer to the i-th row of the segment. */
  def answer(structure: Int, i: Int, place: Int): Long = answers(structure)(i * asked(structure) + place)

  /** The sketch that answers the i-th row of the segment, which is not before any other that has been asked. */
  def sketch(structure: Int, i: Int, place: Int): Array[Byte] = sliders(structure) match {
    case sketches: SketchSlider => sketches.sketch(i, place)
    case _ => throw new IllegalStateException(structures(structure).toString)
  }

  def peakBytes: Long = memory.peakBytes

  def close(): Unit = {
    kept.close()
    memory.give(granted)
    granted = 0L
  }
}

private object SlidingWindow {
  val FewestRows: Int = 1 << 15

  /** Where each row keeps a sketch: a segment is as long as the longest frame, not several times. */
  val FewestRowsOfBytes: Int = 1 << 7
  val MostRows: Int = 1 << 29

  /** In the window, and in a segment. */
  def rowBytes(spec: SlidingSpec): Long =
    16L + 16L * spec.elements.length + 8L * spec.frames.length +
      spec.structures.map(s =>
        8L + (if (s.elements.length > 1) 24L else 8L) + 8L * s.asks.length * s.kind.words
      ).sum
}
