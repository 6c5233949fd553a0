package chronosketch.spark.sliding.rows

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.memory.MemoryBlock

import chronosketch.spark.memory.SlidingMemory

/** Rows one after the other in pages of the task's memory, each behind its length. */
final class RowPages(memory: SlidingMemory) {
  private var pages = new Array[MemoryBlock](16)
  private var count = 0
  private var free = 0L // in the last page, from here on

  /** Copies a row in and returns its address; −1 where there is no memory for it. */
  def add(row: UnsafeRow): Long = {
    val bytes = row.getSizeInBytes
    if (count == 0 || free + 8 + bytes > pages(count - 1).size) {
      val page = if (count == RowPages.Most) null else memory.page(bytes + 8L)
      if (page == null) return -1L
      if (count == pages.length) pages = Arrays.copyOf(pages, 2 * count)
      pages(count) = page
      count += 1
      free = 0L
    }
    val page = pages(count - 1)
    val at = page.getBaseOffset + free
    Platform.putLong(page.getBaseObject, at, bytes.toLong)
    Platform.copyMemory(row.getBaseObject, row.getBaseOffset, page.getBaseObject, at + 8, bytes.toLong)
    val address = ((count - 1).toLong << 32) | free
    free += 8L + bytes
    address
  }

  /** Makes a row show what is at an address. */
  def point(row: UnsafeRow, address: Long): Unit = {
    val page = pages((address >>> 32).toInt)
    val at = page.getBaseOffset + (address & 0xffffffffL)
    row.pointTo(page.getBaseObject, at + 8, Platform.getLong(page.getBaseObject, at).toInt)
  }

  /** Reads where a row begins, and so many bytes into it. */
  def touch(address: Long, offset: Long): Long = {
    val page = pages((address >>> 32).toInt)
    val at = page.getBaseOffset + (address & 0xffffffffL)
    Platform.getLong(page.getBaseObject, at) + Platform.getLong(page.getBaseObject, at + 8 + offset)
  }

  /** Gives back all pages but the one of an address, or all for −1, and returns how many bytes that were. */
  def clear(except: Long): Long = {
    val kept = if (except < 0) -1 else (except >>> 32).toInt
    var freed = 0L
    var i = 0
    while (i < count) {
      if (pages(i) != null && i != kept) {
        freed += pages(i).size
        memory.free(pages(i))
        pages(i) = null
      }
      i += 1
    }
    if (kept < 0) count = 0
    freed
  }
}

private[spark] object RowPages {

  /** Spark numbers the pages of a task, 8192 at most. */
  val Most = 6000
}
