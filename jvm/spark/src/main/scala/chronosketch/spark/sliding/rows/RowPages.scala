package chronosketch.spark.sliding.rows

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.bitset.BitSetMethods
import org.apache.spark.unsafe.memory.MemoryBlock

import chronosketch.spark.memory.SlidingMemory

/** Stores rows in pages of the task's memory, each after its length. A lane takes a piece of a page at a time and fills it in order. */
final class RowPages(memory: SlidingMemory) {
  private var pages = new Array[MemoryBlock](16)
  private var count = 0
  private var free = 0L // the first free byte of the last page

  // for each lane: the address of its next row, the bytes left in its piece, and the length of its piece
  private val next, left, longest = new Array[Long](Lanes.Count)

  /** Copies a row into a lane. Returns its address, or −1 if there is no memory for it. */
  def add(row: UnsafeRow, lane: Int): Long = {
    val bytes = row.getSizeInBytes.toLong
    val address = place(bytes, lane)
    if (address >= 0L) {
      val page = pages((address >>> 32).toInt)
      val at = page.getBaseOffset + (address & 0xffffffffL) + 8L
      Platform.copyMemory(row.getBaseObject, row.getBaseOffset, page.getBaseObject, at, bytes)
    }
    address
  }

  /** Reserves space for a row in a lane and writes the row's length. Returns the address, or −1 if there is no memory for it. */
  private def place(bytes: Long, lane: Int): Long = {
    if (left(lane) < 8L + bytes && !cut(lane, 8L + bytes)) return -1L
    val address = next(lane)
    val page = pages((address >>> 32).toInt)
    Platform.putLong(page.getBaseObject, page.getBaseOffset + (address & 0xffffffffL), bytes)
    next(lane) = address + 8L + bytes
    left(lane) -= 8L + bytes
    address
  }

  /** Copies a row of fixed-width columns into a lane, and adds n NULL columns at its end. These must not lengthen the row's null bits.
    * Returns the address, or −1 if there is no memory for it.
    */
  def addWidened(row: UnsafeRow, nulls: Int, lane: Int): Long = {
    val address = place(row.getSizeInBytes + 8L * nulls, lane)
    if (address < 0L) return -1L
    val page = pages((address >>> 32).toInt)
    RowPages.widen(row, nulls, page.getBaseObject, page.getBaseOffset + (address & 0xffffffffL) + 8L)
    address
  }

  /** Gives a lane its next piece of at least `least` bytes. Returns false if there is no memory for it. */
  private def cut(lane: Int, least: Long): Boolean = {
    if (count == 0 || free + least > pages(count - 1).size) {
      val page = if (count == RowPages.Most) null else memory.page(least)
      if (page == null) return false
      if (count == pages.length) pages = Arrays.copyOf(pages, 2 * count)
      pages(count) = page
      count += 1
      free = 0L
    }
    val wanted = math.max(least, math.min(RowPages.LongestPiece, 2 * longest(lane)))
    val length = math.min(wanted, pages(count - 1).size - free)
    next(lane) = ((count - 1).toLong << 32) | free
    left(lane) = length
    longest(lane) = wanted
    free += length
    true
  }

  /** Points a row to an address. */
  def point(row: UnsafeRow, address: Long): Unit = {
    val page = pages((address >>> 32).toInt)
    val at = page.getBaseOffset + (address & 0xffffffffL)
    row.pointTo(page.getBaseObject, at + 8, Platform.getLong(page.getBaseObject, at).toInt)
  }

  /** Reads the start of a row, and the word at an offset in it, to load both into the cache. */
  def touch(address: Long, offset: Long): Long = {
    val page = pages((address >>> 32).toInt)
    val at = page.getBaseOffset + (address & 0xffffffffL)
    Platform.getLong(page.getBaseObject, at) + Platform.getLong(page.getBaseObject, at + 8 + offset)
  }

  /** Frees all pages except the one with this address; all of them for −1. Returns the number of freed bytes. */
  def clear(except: Long): Long = {
    val keptPage = if (except < 0) -1 else (except >>> 32).toInt
    var freed = 0L
    var i = 0
    while (i < count) {
      if (pages(i) != null && i != keptPage) {
        freed += pages(i).size
        memory.free(pages(i))
        pages(i) = null
      }
      i += 1
    }
    if (keptPage < 0) {
      count = 0
      Arrays.fill(left, 0L)
    }
    freed
  }
}

private[spark] object RowPages {

  /** The most pages to use. Spark can number 8192 pages in a task. */
  val Most = 6000

  private val LongestPiece = 1L << 15

  /** Copies a row of fixed-width columns to an address in memory, and adds n NULL columns at its end. These must not lengthen the row's
    * null bits.
    */
  def widen(row: UnsafeRow, nulls: Int, into: AnyRef, at: Long): Unit = {
    val (from, start, before) = (row.getBaseObject, row.getBaseOffset, row.getSizeInBytes)
    val bytes = before + 8L * nulls
    var i = 0
    while (i < before) {
      Platform.putLong(into, at + i, Platform.getLong(from, start + i))
      i += 8
    }
    while (i < bytes) {
      Platform.putLong(into, at + i, 0L)
      i += 8
    }
    val columns = row.numFields
    i = 0
    while (i < nulls) {
      BitSetMethods.set(into, at, columns + i)
      i += 1
    }
  }
}

/** Assigns partitions to lanes. Rows of a lane are stored together, a piece of memory at a time. So the rows of a partition are read
  * from memory in order, unless there are far more partitions than lanes.
  *
  * The pieces of a lane double in size, so that at most as much memory is unused as is used.
  */
private object Lanes {
  final val Count = 256

  def of(partition: Int): Int = partition & (Count - 1)
}
