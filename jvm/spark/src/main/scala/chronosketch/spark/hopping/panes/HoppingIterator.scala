package chronosketch.spark.hopping.panes

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import chronosketch.spark.memory.SlidingMemory

/** Merges the windows of a partition. Panes must be sorted by key, block and time.
  *
  * It reads panes until some windows are complete, returns these, and drops the panes that later windows do not have.
  */
private[spark] final class HoppingIterator(
    spec: HoppingSpec,
    panes: Iterator[InternalRow],
    memory: SlidingMemory
) extends Iterator[InternalRow] {
  import HoppingIterator._
  import spec.assigner

  private val input = spec.merge.input
  private val sameKey = RowOrdering.create((spec.by :+ spec.block).map(SortOrder(_, Ascending)), input)
  private val numberAt = place(spec.pane)
  private val blockAt = place(spec.block)

  private var upcoming: InternalRow = if (panes.hasNext) panes.next().copy() else null

  // the state of the current key and block
  private val kept = new KeptPanes(memory)
  private val rows = kept.rows
  private var isWhole, isDone = true
  private var reading = LeastRead
  private var least, most = 0L
  private var unneeded = 0

  private val frames = new WindowFrames(assigner, i => number(rows(i)))
  private val windows = frames.windows
  private var at = 0
  private val merge = new PaneMerge(spec.merge)
  private var lastFills = 0L

  private val key = UnsafeProjection.create(spec.by, input)

  def hasNext: Boolean = {
    while (at == windows.size && prepare()) {}
    at < windows.size
  }

  def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException
    merge.supply(spec.by.length, assigner.start(windows(at)))
    merge.supply(spec.by.length + 1, assigner.end(windows(at)))
    at += 1
    val row = merge.next()
    val fills = merge.fills
    if (fills != lastFills || at % FramesBetweenRequests == 0) kept.holdAlso(merge.heldBytes)
    lastFills = fills
    row
  }

  /** Looks for more windows, and may find none. Returns false at the end of the input. */
  private def prepare(): Boolean =
    if (isDone && upcoming == null) {
      release()
      false
    } else {
      if (isDone) open()
      read()
      findWindows()
      merge.begin(rows, i => number(rows(i)), windows)
      true
    }

  /** Starts the next key or block. */
  private def open(): Unit = {
    release()
    unneeded = 0
    merge.supply(key(upcoming).copy())
    val block = upcoming.getLong(blockAt)
    least = math.max(assigner.firstWith(number(upcoming)), block * assigner.block)
    most = (block + 1) * assigner.block - 1
    frames.restart()
    isDone = false
    isWhole = false
    reading = LeastRead
  }

  private def release(): Unit = {
    merge.end()
    kept.clear()
  }

  private def place(column: Attribute): Int = input.indexWhere(_.exprId == column.exprId)
  private def number(row: InternalRow): Long = row.getLong(numberAt)

  /** Drops the panes that no later window has, and reads more until there are enough. */
  private def read(): Unit = {
    kept.drop(unneeded)
    unneeded = 0
    while (!isWhole && rows.length < reading) {
      kept.add(upcoming)
      upcoming = if (panes.hasNext) panes.next().copy() else null
      isWhole = upcoming == null || sameKey.compare(rows.last, upcoming) != 0
    }
  }

  /** Finds the next complete windows, up to a limit. */
  private def findWindows(): Unit = {
    at = 0
    frames.proceed()
    val foundAll = frames.find(least, most, rows.length, isWhole, MostWindows)
    // panes after the last window of a block are in the next block, too
    unneeded = if (foundAll) rows.length else frames.firstNeeded
    isDone = foundAll && isWhole
    if (windows.size < MostWindows) reading = 2 * (rows.length - unneeded) + LeastRead
  }
}

private object HoppingIterator {
  private val LeastRead = 1024
  private val MostWindows = 1 << 16

  /** Looking at all unions costs about as much as merging a few of them. */
  private val FramesBetweenRequests = 16
}

/** The part of the plan that a task needs to merge windows of a table's panes.
  *
  * @param by    the keys
  * @param pane  the column with the number of a row's pane
  * @param block the column with the number of the block of windows that a row is sent to
  * @param merge how panes are merged; the caller supplies the keys, the start and the end of each window
  */
private[spark] final case class HoppingSpec(
    by: Seq[Attribute],
    pane: Attribute,
    block: Attribute,
    assigner: WindowAssigner,
    merge: MergeSpec
)

/** Keeps the rows of a key's panes that later windows need.
  *
  * Memory  requested from Spark. The rows are kept even if Spark refuses: a window can't be computed without its panes
  */
private[spark] final class KeptPanes(memory: SlidingMemory) {
  val rows = new ArrayBuffer[InternalRow]

  // bytes of the rows, bytes requested from Spark in large steps, and bytes granted
  private var needed, requested, granted = 0L

  // the part of `needed` that is not for rows
  private var others = 0L

  def add(row: InternalRow): Unit = {
    rows += row
    needed += bytes(row)
    request()
  }

  /** Requests memory for what is made of the rows, instead of what was requested for it before. */
  def holdAlso(bytes: Long): Unit = {
    needed += bytes - others
    others = bytes
    request()
    giveUnneeded()
  }

  private def request(): Unit = if (needed > requested) {
    val more = needed - requested + KeptPanes.Step
    requested += more
    if (memory.take(more)) granted += more
  }

  /** Drops the first n rows. */
  def drop(n: Int): Unit = {
    var i = 0
    while (i < n) { needed -= bytes(rows(i)); i += 1 }
    rows.remove(0, n)
    giveUnneeded()
  }

  private def giveUnneeded(): Unit =
    if (requested - needed > 2 * KeptPanes.Step) give(requested - needed - KeptPanes.Step)

  def clear(): Unit = {
    rows.clear()
    needed = 0
    others = 0
    if (requested > 2 * KeptPanes.Step) give(requested)
  }

  private def give(less: Long): Unit = {
    requested -= less
    val back = math.min(less, granted)
    memory.give(back)
    granted -= back
  }

  private def bytes(row: InternalRow): Long = row match {
    case unsafe: UnsafeRow => KeptPanes.RowBytes + unsafe.getSizeInBytes
    case _ => KeptPanes.RowBytes
  }
}

private object KeptPanes {
  private val Step = 1L << 16

  /** The objects of a row besides its bytes: the row, the header of its array, and the reference to it. */
  private val RowBytes = 64L
}
