package chronosketch.spark.hopping.panes

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import chronosketch.sliding.fold.Folds
import chronosketch.spark.memory.SlidingMemory

/** The windows of a partition's panes, which come sorted by key and time.
  *
  * Panes are read until some windows are whole, these go out, and what the next ones do not see is dropped.
  */
private[spark] final class HoppingIterator(
    spec: HoppingSpec,
    panes: Iterator[InternalRow],
    memory: Option[SlidingMemory] = None
) extends Iterator[InternalRow] {
  import HoppingIterator._

  private val hop = spec.hop
  private val sameKey = RowOrdering.create((spec.by ++ spec.block).map(SortOrder(_, Ascending)), spec.input)
  private val numberAt = place(spec.pane)
  private val blockAt = spec.block.fold(-1)(place)

  private var coming: InternalRow = if (panes.hasNext) panes.next().copy() else null

  // of the key at hand
  private val kept = new KeptPanes(memory)
  private val rows = kept.rows
  private var isWholeKey, isDone = true
  private var reading = LeastRead
  private var window, noMore = 0L
  private var unseen = 0

  // the windows that are whole, as frames of the rows
  private val windows = new NumberedFrames
  private var at = 0

  private val sketches = spec.sketches.map(new Unions(_)).toArray
  private val fold = new BufferFold(spec.declared, spec.input, rows(_))
  private val buffers = new Folds[InternalRow]

  private val key = UnsafeProjection.create(spec.by, spec.input)
  private val result = UnsafeProjection.create(
    spec.results,
    spec.by ++ spec.bounds ++ spec.unions ++ spec.declared.flatMap(_.aggBufferAttributes)
  )
  private val made = new GenericInternalRow(spec.bounds.length + spec.unions.length)
  private val keyAndMade, all = new JoinedRow
  private var keyRow: UnsafeRow = _

  def hasNext: Boolean = {
    while (at == windows.size && prepare()) {}
    at < windows.size
  }

  def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    made.update(0, hop.start(windows(at)))
    made.update(1, hop.end(windows(at)))
    var s = 0
    while (s < sketches.length) {
      made.update(2 + s, sketches(s).next())
      s += 1
    }
    at += 1
    result(all(keyAndMade(keyRow, made), buffers.next()))
  }

  /** More windows, if only none: whether there may be. */
  private def prepare(): Boolean =
    if (isDone && coming == null) {
      kept.clear()
      false
    } else {
      if (isDone) open()
      read()
      findWindows()
      buffers.begin(windows.frames, fold)
      sketches.foreach(_.begin(rows, i => number(rows(i)), windows))
      true
    }

  /** The next key. */
  private def open(): Unit = {
    kept.clear()
    unseen = 0
    keyRow = key(coming).copy()
    window = hop.firstWith(number(coming))
    noMore = Long.MaxValue
    if (blockAt >= 0) {
      val block = coming.getLong(blockAt)
      window = math.max(window, block * hop.block)
      noMore = (block + 1) * hop.block
    }
    isDone = false
    isWholeKey = false
    reading = LeastRead
  }

  private def place(of: Attribute): Int = spec.input.indexWhere(_.exprId == of.exprId)
  private def number(row: InternalRow): Long = row.getLong(numberAt)

  /** Drops what no window sees any more, and has as many rows of the key as it takes. */
  private def read(): Unit = {
    kept.drop(unseen)
    unseen = 0
    while (!isWholeKey && rows.length < reading) {
      kept.add(coming)
      coming = if (panes.hasNext) panes.next().copy() else null
      isWholeKey = coming == null || sameKey.compare(rows.last, coming) != 0
    }
  }

  /** The windows that begin with `window` and are whole, some of them where they are many. */
  private def findWindows(): Unit = {
    at = 0
    windows.clear()
    var first, end = 0
    var isEnough = false
    while (!isEnough && windows.size < MostWindows) {
      val start = hop.firstOf(window)
      if (window >= noMore) first = rows.length
      while (first < rows.length && number(rows(first)) < start) first += 1
      if (first == rows.length) {
        isEnough = true
        isDone = isWholeKey
        reading = LeastRead
      } else if (number(rows(first)) >= start + hop.panes) window = hop.firstWith(number(rows(first)))
      else if (!isWholeKey && number(rows.last) < start + hop.panes) {
        isEnough = true
        reading = 2 * (rows.length - first) + LeastRead
      } else {
        while (end < rows.length && number(rows(end)) < start + hop.panes) end += 1
        windows.add(window, first, end)
        window += 1
      }
    }
    unseen = first
  }
}

private object HoppingIterator {
  private val LeastRead = 1024
  private val MostWindows = 1 << 16
}
