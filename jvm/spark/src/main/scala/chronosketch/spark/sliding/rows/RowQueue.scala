package chronosketch.spark.sliding.rows

import java.util.ArrayDeque

import org.apache.spark.memory.MemoryConsumer
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.memory.MemoryBlock

import chronosketch.spark.memory.{OwnerThread, SlidingMemory}

/** Rows that wait for their answers, first in, first out. They are in pages of the task's memory, or on disk where Spark has none. */
final class RowQueue(width: Int, memory: SlidingMemory, spilled: Long => Unit) {
  private val pages = new ArrayDeque[RowQueue.Page]
  private val files = new ArrayDeque[RowFile] // with rows that are older than those in pages
  private val shown = new UnsafeRow(width)
  private val taken = UnsafeRow.createFromByteArray(0, width)
  private var inPages = 0
  private val owner = new OwnerThread

  def peakBytes: Long = memory.peakBytes

  def add(row: UnsafeRow): Unit = {
    owner.enter()
    val bytes = row.getSizeInBytes
    if (pages.isEmpty || !pages.peekLast().fits(bytes)) pages.addLast(new RowQueue.Page(newPage(bytes + 8L)))
    pages.peekLast().add(row)
    inPages += 1
  }

  /** A page for a row. Where Spark has none even after the others went to disk, one page is taken without asking. */
  private def newPage(bytes: Long): MemoryBlock = {
    var page = memory.page(bytes)
    if (page == null && !pages.isEmpty) {
      writeOut()
      page = memory.page(bytes)
    }
    if (page != null) page
    else MemoryBlock.fromLongArray(new Array[Long](math.max(RowQueue.FewestWords, (bytes / 8).toInt + 1)))
  }

  /** The next row, until the one after it is asked for. */
  def next(): UnsafeRow = {
    owner.enter()
    while (!files.isEmpty && !files.peekFirst().hasNext) files.pollFirst().delete()
    if (!files.isEmpty) files.peekFirst().next(shown)
    else {
      while (pages.peekFirst().isRead) free(pages.pollFirst())
      pages.peekFirst().next(shown)
      inPages -= 1
    }
    // its page may be given away while the caller looks at it
    taken.copyFrom(shown)
    taken
  }

  /** Writes the rows in memory to disk, for another operator, and returns how many bytes that gave back. */
  def relieve(trigger: MemoryConsumer): Long =
    if (trigger eq memory) 0L else owner.relieve(() => if (inPages == 0) 0L else writeOut())

  private def writeOut(): Long = {
    val before = memory.getUsed
    if (inPages > 0) {
      val file = new RowFile(inPages)
      pages.forEach { page =>
        while (!page.isRead) {
          page.next(shown)
          file.write(shown)
        }
      }
      file.close()
      files.addLast(file)
      spilled(file.bytes)
      inPages = 0
    }
    while (!pages.isEmpty) free(pages.pollFirst())
    before - memory.getUsed
  }

  // a page taken without asking has no number
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

    def next(row: UnsafeRow): Unit = {
      val at = block.getBaseOffset + read
      val bytes = Platform.getLong(block.getBaseObject, at)
      row.pointTo(block.getBaseObject, at + 8, bytes.toInt)
      read += 8L + bytes
    }
  }
}
