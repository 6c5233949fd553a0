package chronosketch.spark.sliding

import chronosketch.rank.Phi
import chronosketch.sliding.Frames
import chronosketch.sliding.certified.FrameQuantiles

/** The rows of one group with frames that are too large for a window, in a log, and the answers of a segment of them.
  *
  * Guarantee  a frame of up to [[Certified.exactRows]] rows is answered exactly, one of more as [[FrameQuantiles]] has it, whatever
  *            the memory and wherever segments end: its summary begins with the first frame of more, and lasts until one of half
  * Memory     what summaries keep, a few chunks of the log, and the elements of the frames that are answered exactly
  */
final class FarWindow(spec: SlidingSpec, source: OrderedRows, window: SlidingWindow, memory: FrameMemory) {
  private val log = new RowLog(2 + spec.elements.length, bytes => spec.metrics("spillSize").add(bytes))
  private val frames = spec.frames.map(new FarFrames(_, spec.nullsFirst, log)).toArray
  private val answering = spec.structures.zipWithIndex.map { case (s, i) => new Answering(s, i) }.toArray
  private var isWhole = false
  private var row = 0L // the first of the segment
  private var target = RowLog.ChunkRows

  /** Takes over the group of a row of the window, and all of its rows that later ones need. */
  def begin(segment: Int, drivers: Array[FrameDriver]): Unit = {
    var low = segment
    drivers.foreach(d => low = math.min(low, d.needed(segment)))
    isWhole = false
    row = (segment - low).toLong
    drivers.indices.foreach { d =>
      frames(d).begin(
        row,
        (drivers(d).needed(segment) - low).toLong,
        (drivers(d).reached(segment) - low).toLong
      )
    }
    answering.foreach(_.begin())
    target = RowLog.ChunkRows
    take(low)
  }

  /** What the window has of the group from a row on. */
  private def take(from: Int): Unit = {
    val end = window.groupEnd
    val until = if (end < 0) window.filled else end
    log.add(window.order, window.flags, window.values, from, until)
    isWhole = end >= 0
    window.dropTo(until)
  }

  /** Goes on to the next segment: how many rows it has, 0 after the last of the group. */
  def advance(): Int = {
    var ready = settle()
    while (ready < target && !isWhole) {
      source.load(window, RowLog.ChunkRows)
      take(0)
      ready = settle()
    }
    if (ready == 0) close()
    else {
      answering.foreach(_.answer(ready))
      val longest = answering.map(_.longest).max
      target = math.max(RowLog.ChunkRows.toLong, math.min(4 * longest, SlidingWindow.MostRows.toLong)).toInt
      frames.foreach(_.pass(ready))
      row += ready
      log.forget(frames.foldLeft(row)((first, f) => math.min(first, f.needed)))
    }
    ready
  }

  private def settle(): Int =
    frames.foldLeft(target)((ready, f) => math.min(ready, f.settle(target, isWhole)))

  def close(): Unit = {
    answering.foreach(_.begin())
    log.clear()
  }

  /** The answers of one structure. */
  private final class Answering(structure: Structure, place: Int) {
    private val seen = frames(structure.frame)
    private val asked = structure.asks.length
    private val limit = structure.certified.fold(Long.MaxValue)(_.exactRows)
    private val elements = new LogElements(log, structure.elements.head)
    private val quantiles = structure.certified.map { c =>
      val phis = structure.asks.collect { case Ask.Quantile(phi) => phi }.toArray[Phi]
      new FrameQuantiles(phis, c.epsilon, c.structure, elements)
    }.orNull
    private val kept = structure.elements.map(2 + _) ++ (if (structure.elements.length > 1) Seq(1) else Nil)
    private val cursor = new RowCursor(log)
    private val bit = 2L << structure.elements.head
    private val certified = spec.metrics("certifiedRows")

    private var isSummarised = false
    private var isExact = new Array[Boolean](0)

    /** Rows of the longest frame of the segment that was answered exactly. */
    var longest = 0L

    def begin(): Unit = {
      if (quantiles != null) quantiles.forget()
      isSummarised = false
      elements.reset()
      cursor.reset()
    }

    def answer(rows: Int): Unit = {
      window.room(place, rows)
      if (isExact.length < rows) isExact = new Array[Boolean](rows)
      var first = -1
      var last = -1
      var exact = 0
      longest = 0L
      var i = 0
      while (i < rows) {
        val (from, until) = (seen.from(i), seen.until(i))
        val isFar = until - from > limit
        if (isFar || (isSummarised && until - from > limit / 2)) {
          isSummarised = true
          quantiles.see(from, until)
        } else if (isSummarised) {
          isSummarised = false
          quantiles.forget()
        }
        isExact(i) = !isFar
        if (isFar) summarised(i)
        else {
          if (first < 0) first = i
          last = i
          exact += 1
          longest = math.max(longest, until - from)
        }
        i += 1
      }
      certified.add((rows - exact).toLong)
      if (exact > 0) exactly(first, last + 1)
    }

    private def summarised(i: Int): Unit = {
      window.setFrame(place, i, quantiles.count > 0)
      var q = 0
      while (q < asked) {
        window.setBounds(place, i * asked + q, quantiles.value(q), quantiles.low(q), quantiles.high(q))
        q += 1
      }
    }

    /** Where the frame of a row begins, or if it is too large, what of it may be kept. */
    private def from(i: Int): Long = math.max(seen.from(i), seen.until(i) - limit)

    private def exactly(first: Int, end: Int): Unit = {
      val low = from(first)
      val rows = seen.until(end - 1) - low
      val n = end - first
      memory.ask(rows, 8L * (rows * (kept.length + 2) + n.toLong * (2 + asked * structure.kind.words)))
      val before = new Array[Int](rows.toInt + 1)
      var count = 0
      var i = 0
      while (i < rows) {
        before(i) = count
        if ((cursor.word(low + i, 1) & bit) == 0L) count += 1
        i += 1
      }
      before(i) = count
      val columns = kept.map { column =>
        val there = new Array[Long](count)
        var e = 0
        var i = 0
        while (i < rows) {
          if (before(i + 1) > before(i)) {
            there(e) = cursor.word(low + i, column)
            e += 1
          }
          i += 1
        }
        there
      }.toArray
      val froms, untils = new Array[Int](n)
      i = 0
      while (i < n) {
        froms(i) = before((from(first + i) - low).toInt)
        untils(i) = before((seen.until(first + i) - low).toInt)
        i += 1
      }
      window.slide(place, columns, new Frames(froms, untils, n), first, isExact)
      memory.release()
    }
  }
}
