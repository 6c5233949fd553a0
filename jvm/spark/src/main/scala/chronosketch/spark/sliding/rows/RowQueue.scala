package chronosketch.spark.sliding.rows

import java.util.ArrayDeque

import org.apache.spark.TaskContext
import org.apache.spark.memory.MemoryConsumer
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.memory.MemoryBlock

import chronosketch.spark.memory.{OwnerThread, SlidingMemory}
import chronosketch.spark.rows.RowFile
import chronosketch.spark.sql.SparkPrivates

/** Queues rows until their answers are known. Rows are in pages of the task's memory, or on disk if Spark has no memory. */
final class RowQueue(width: Int, memory: SlidingMemory, spilled: Long => Unit) {
  private val pages = new ArrayDeque[RowQueue.Page]
  private val files = new ArrayDeque[RowFile] // their rows are older than those in pages
  private val returned, spilledRow = new UnsafeRow(width)
  private var isReturnedInPage = false // in the first page
  private var inPages = 0
  private val owner = new OwnerThread
  private val task = TaskContext.get()

  def peakBytes: Long = memory.peakBytes

  def add(row: UnsafeRow): Unit = {
    pageFor(row.getSizeInBytes).add(row)
    inPages += 1
  }

  /** Adds an input row, which has no room for answers yet. [[RowSpec.canWiden]] must be true. */
  def addWidened(row: UnsafeRow): Unit = {
    val room = width - row.numFields
    pageFor(row.getSizeInBytes + 8 * room).addWidened(row, room)
    inPages += 1
  }

  /** The page for the next row. */
  private def pageFor(bytes: Int): RowQueue.Page = {
    owner.enter()
    if (pages.isEmpty || !pages.peekLast().fits(bytes)) pages.addLast(new RowQueue.Page(newPage(bytes + 8L)))
    pages.peekLast()
  }

  /** A page for a row. If Spark refuses one even after all others were spilled, a page is allocated without a request. */
  private def newPage(bytes: Long): MemoryBlock = {
    var page = memory.page(bytes)
    if (page == null && !pages.isEmpty) {
      writeOut()
      page = memory.page(bytes)
    }
    if (page != null) page
    else MemoryBlock.fromLongArray(new Array[Long](math.max(RowQueue.FewestWords, (bytes / 8).toInt + 1)))
  }

  /** Returns the next row. It is valid until the next call. */
  def next(): UnsafeRow = {
    owner.enter()
    while (!files.isEmpty && !files.peekFirst().hasNext) files.pollFirst().delete()
    isReturnedInPage = files.isEmpty
    if (!isReturnedInPage) files.peekFirst().next(returned)
    else {
      while (pages.peekFirst().isRead) free(pages.pollFirst())
      pages.peekFirst().next(returned)
      inPages -= 1
    }
    returned
  }

  /** Spills the rows in memory if another operator needs it. Returns the number of freed bytes. */
  def freeOrSpill(trigger: MemoryConsumer): Long =
    if (trigger eq memory) 0L else owner.freeIfOwner(() => if (inPages == 0) 0L else writeOut())

  private def writeOut(): Long = {
    val before = memory.getUsed
    if (inPages > 0) {
      val file = new RowFile(inPages)
      // from now on it is deleted with the queue, also if the task is killed while it writes
      files.addLast(file)
      pages.forEach { page =>
        SparkPrivates.endIfKilled(task)
        while (!page.isRead) {
          page.next(spilledRow)
          file.write(spilledRow)
        }
      }
      file.close()
      spilled(file.bytes)
      inPages = 0
    }
    // the caller may still read the returned row
    val kept = if (isReturnedInPage) pages.pollFirst() else null
    while (!pages.isEmpty) free(pages.pollFirst())
    if (kept != null) pages.addLast(kept)
    before - memory.getUsed
  }

  // only pages that Spark granted have a number
  private def free(page: RowQueue.Page): Unit = if (page.block.pageNumber >= 0) memory.free(page.block)

  def close(): Unit = {
    while (!pages.isEmpty) free(pages.pollFirst())
    while (!files.isEmpty) files.pollFirst().delete()
  }
}

private[spark] object RowQueue {
  val FewestWords: Int = 1 << 13

  final class Page(val block: MemoryBlock) {
    private var read, written = 0L

    def isRead: Boolean = read == written
    def fits(bytes: Int): Boolean = written + 8 + bytes <= block.size

    def add(row: UnsafeRow): Unit = {
      val (bytes, at) = (row.getSizeInBytes, block.getBaseOffset + written)
      Platform.putLong(block.getBaseObject, at, bytes.toLong)
      Platform.copyMemory(row.getBaseObject, row.getBaseOffset, block.getBaseObject, at + 8, bytes.toLong)
      written += 8L + bytes
    }

    def addWidened(row: UnsafeRow, room: Int): Unit = {
      val (bytes, at) = (row.getSizeInBytes + 8L * room, block.getBaseOffset + written)
      Platform.putLong(block.getBaseObject, at, bytes)
      RowPages.widen(row, room, block.getBaseObject, at + 8)
      written += 8L + bytes
    }

    def next(row: UnsafeRow): Unit = {
      val at = block.getBaseOffset + read
      val bytes = Platform.getLong(block.getBaseObject, at)
      row.pointTo(block.getBaseObject, at + 8, bytes.toInt)
      read += 8L + bytes
    }
  }
}
