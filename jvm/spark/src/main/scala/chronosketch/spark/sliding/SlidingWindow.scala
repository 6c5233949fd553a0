package chronosketch.spark.sliding

import java.util.Arrays

import chronosketch.sliding.Frames
import chronosketch.spark.memory.SlidingMemory

/** What is kept of consecutive rows, group after group, and the answers of a segment of them.
  *
  * A segment is as many rows as a few of the longest frames: what its frames reach is there and slides as a whole, groups too that
  * are smaller. What no frame reaches any more is dropped. A group with frames too large for that is left to a [[FarWindow]].
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

  // where groups end that are complete and have rows from the segment on; those from `newEnds` on are not yet settled
  private var ends = new Array[Int](16)
  private var endCount, newEnds = 0

  private var segment = 0 // the first row of the segment
  private var ready = 0 // how many rows it has
  private var target = fewestRows
  private var granted = 0L
  private var groups = 0L

  // of each structure: the answers of the segment, in a far one their bounds too, and the frames that they are of
  private val answers, lows, highs = Array.fill(structures.length)(new Array[Long](0))
  private val froms, untils = Array.fill(structures.length)(new Array[Int](0))
  private val outcomes = new Array[Array[Byte]](structures.length)
  private val compact = structures.map(s => Array.fill(s.elements.length + 1)(new Array[Long](0)))
  private var before = new Array[Int](0)

  // frames of so many rows are answered exactly, whatever is asked of them
  private val limit = structures.flatMap(_.certified).map(_.exactRows).foldLeft(Long.MaxValue)(math.min)
  private val frameMemory = new FrameMemory(memory)
  private val far = new FarWindow(spec, source, this, frameMemory)
  private var isFar = false // whether the segment is one of its

  /** How long sliding took. */
  var slideNanos = 0L

  def groupCount: Long = groups

  /** Room for so many rows more. */
  def reserve(rows: Int): Unit =
    if (!hasRoom(rows)) frameMemory.refuse(filled.toLong + rows, bytesOf(filled + rows))

  private val rowBytes = SlidingWindow.rowBytes(spec)
  private def bytesOf(rows: Int): Long = rowBytes * rows

  /** Whether there is such room now: what is few is always there. */
  private def hasRoom(rows: Int): Boolean =
    filled + rows <= order.length || {
      val more = math.max(filled + rows, filled + filled / 2)
      if (isGranted(bytesOf(more))) grow(more) else isGranted(bytesOf(filled + rows)) && grow(filled + rows)
    }

  /** The number by which bytes are found while a frame reaches their row. */
  def keep(bytes: Array[Byte]): Long = kept.add(bytes)
  private def isGranted(bytes: Long): Boolean =
    bytes <= math.max(granted, FrameMemory.AlwaysThere) || memory.take(bytes - granted) && {
      granted = bytes
      true
    }

  private def grow(length: Int): Boolean =
    try {
      val longer = (order +: flags +: values.toSeq).map(Arrays.copyOf(_, length))
      drivers.foreach(_.resize(length))
      order = longer.head
      flags = longer(1)
      longer.drop(2).copyToArray(values)
      true
    } catch { case _: OutOfMemoryError => false }

  /** The group of the last row is complete. */
  def endGroup(): Unit = {
    if (endCount == ends.length) ends = Arrays.copyOf(ends, 2 * endCount)
    ends(endCount) = filled
    endCount += 1
    groups += 1
  }

  /** Goes on to the next segment: how many rows it has, 0 after the last. */
  def advance(): Int = frameMemory.within(filled.toLong, bytesOf(filled))(next())

  private def timed[A](body: => A): A = {
    val started = System.nanoTime()
    val made = body
    slideNanos += System.nanoTime() - started
    made
  }

  private def next(): Int = {
    if (isFar) {
      ready = timed(far.advance())
      if (ready > 0) return ready
      isFar = false
    }
    segment += ready
    ready = 0
    drop()
    if (!fill()) return 0
    if (ready > 0 && mayBeFar) ready = beforeFar()
    if (ready == 0) {
      far.begin(segment, drivers)
      isFar = true
      shrink()
      ready = timed(far.advance())
    } else {
      ready = math.min(ready, SlidingWindow.MostRows / mostWords)
      timed(structures.indices.foreach(slide))
      aim()
    }
    ready
  }

  /** Loads rows until some are settled, or it is clear that a frame is too large to wait for: whether there are rows. */
  private def fill(): Boolean = {
    var wanted = target
    var isFull = false
    settle()
    while (!isFull && (ready == 0 || (ready < target / 2 && !source.isExhausted))) {
      if (source.isExhausted && filled == segment) return false
      if (ready == 0 && filled - segment > limit) isFull = true
      else {
        val more = math.min(segment.toLong + wanted, SlidingWindow.MostRows.toLong).toInt - filled
        val rows = if (hasRoom(more)) more else math.min(more, SlidingWindow.FewestRows)
        if (filled < SlidingWindow.MostRows && hasRoom(rows)) {
          source.load(this, rows)
          settle()
          wanted = math.min(wanted, SlidingWindow.MostRows / 2) * 2
        } else if (ready == 0 && limit == Long.MaxValue)
          frameMemory.refuse(filled.toLong + rows, rowBytes * (filled.toLong + rows))
        else isFull = true
      }
    }
    true
  }

  /** Whether some frame of the segment may have more rows than are answered exactly. */
  private def mayBeFar: Boolean = {
    var low = segment
    drivers.foreach(d => low = math.min(low, d.needed(segment)))
    filled - low > limit
  }

  /** How many rows come before the first whose frame has. */
  private def beforeFar(): Int = {
    var rows = ready
    var s = 0
    while (s < structures.length) {
      if (structures(s).certified.nonEmpty) {
        val most = structures(s).certified.get.exactRows
        val driver = drivers(structures(s).frame)
        var i = 0
        while (i < rows) {
          if (driver.until(segment + i) - driver.from(segment + i) > most) rows = i
          i += 1
        }
      }
      s += 1
    }
    rows
  }

  /** Where the group of the first row ends that is not yet answered; -1 where it may have more rows. */
  private[spark] def groupEnd: Int = {
    var e = 0
    while (e < endCount && ends(e) <= segment && !isFar) e += 1
    if (e < endCount) ends(e) else -1
  }

  /** What comes before is dropped, and a group begins there or goes on. */
  private[spark] def dropTo(row: Int): Unit = {
    segment = row
    ready = 0
    cut(row)
    drivers.foreach(_.restart())
    newEnds = 0
  }

  private def settle(): Unit = {
    var least = Int.MaxValue
    var d = 0
    while (d < drivers.length) {
      drivers(d).run(order, flags, ends, newEnds, endCount, filled)
      least = math.min(least, drivers(d).settled)
      d += 1
    }
    newEnds = endCount
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
    var passed = 0
    while (passed < endCount && ends(passed) <= segment) passed += 1
    System.arraycopy(ends, passed, ends, 0, endCount - passed)
    endCount -= passed
    var low = segment
    drivers.foreach(d => low = math.min(low, d.needed(segment)))
    if (keepsBytes) dropBytes(low)
    if (low > 0 && low >= filled - low) {
      drivers.foreach(_.shift(low))
      cut(low)
    }
    newEnds = endCount
  }

  /** Gives back room that far frames do not need. */
  private def shrink(): Unit = {
    val length = math.max(filled, SlidingWindow.FewestRows)
    if (order.length > 4 * length && grow(length)) {
      memory.give(granted)
      granted = 0L
    }
  }

  /** The rows before this one, none of which ends a group that is still of interest. */
  private def cut(low: Int): Unit = {
    val kept = filled - low
    System.arraycopy(order, low, order, 0, kept)
    System.arraycopy(flags, low, flags, 0, kept)
    values.foreach(v => System.arraycopy(v, low, v, 0, kept))
    filled = kept
    segment -= low
    var left = 0
    var e = 0
    while (e < endCount) {
      if (ends(e) > low) { ends(left) = ends(e) - low; left += 1 }
      e += 1
    }
    endCount = left
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
    room(s, n)
    val (from, until) = (froms(s), untils(s))
    System.arraycopy(driver.from, segment, from, 0, n)
    System.arraycopy(driver.until, segment, until, 0, n)
    val columns = present(s, structure.elements, from, until, n)
    sliders(s).slide(columns, new Frames(from, until, n), answers(s), outcomes(s))
  }

  /** Room for the answers of so many rows. */
  private[spark] def room(s: Int, n: Int): Unit = if (froms(s).length < n) {
    froms(s) = new Array[Int](n + n / 4)
    untils(s) = new Array[Int](n + n / 4)
    if (structures(s).kind.words > 0) answers(s) = new Array[Long](asked(s) * (n + n / 4))
    if (structures(s).kind.hasOutcomes) outcomes(s) = new Array[Byte](asked(s) * (n + n / 4))
  }

  /** Of a row of a far segment: whether its frame has elements. */
  private[spark] def setFrame(s: Int, i: Int, hasElements: Boolean): Unit = {
    froms(s)(i) = 0
    untils(s)(i) = if (hasElements) 1 else 0
  }

  private[spark] def setBounds(s: Int, at: Int, value: Long, low: Long, high: Long): Unit = {
    if (lows(s).length < answers(s).length) {
      lows(s) = Arrays.copyOf(lows(s), answers(s).length)
      highs(s) = Arrays.copyOf(highs(s), answers(s).length)
    }
    answers(s)(at) = value
    lows(s)(at) = low
    highs(s)(at) = high
  }

  /** Answers those rows of a far segment that are marked, whose frames begin with the row `first` of it. */
  private[spark] def slide(
      s: Int,
      columns: Array[Array[Long]],
      frames: Frames,
      first: Int,
      isMarked: Array[Boolean]
  ): Unit = {
    val words = asked(s)
    val found = new Array[Long](words * frames.rows)
    val known = if (outcomes(s) == null) null else new Array[Byte](words * frames.rows)
    sliders(s).slide(columns, frames, found, known)
    var i = 0
    while (i < frames.rows) {
      if (isMarked(first + i)) {
        setFrame(s, first + i, frames.until(i) > frames.from(i))
        var w = 0
        while (w < words) {
          val (at, from) = ((first + i) * words + w, i * words + w)
          if (known != null) outcomes(s)(at) = known(from)
          setBounds(s, at, found(from), found(from), found(from))
          w += 1
        }
      }
      i += 1
    }
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

  /** Between which words the exact answer is, where the structure answers quantiles. */
  def low(structure: Int, i: Int, place: Int): Long =
    (if (isFar) lows else answers) (structure)(i * asked(structure) + place)
  def high(structure: Int, i: Int, place: Int): Long =
    (if (isFar) highs else answers) (structure)(i * asked(structure) + place)

  def peakBytes: Long = memory.peakBytes

  def close(): Unit = {
    kept.close()
    far.close()
    frameMemory.release()
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
