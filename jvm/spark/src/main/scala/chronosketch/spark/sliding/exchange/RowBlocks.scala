package chronosketch.spark.sliding.exchange

import java.util.Arrays

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.unsafe.Platform

/** A block of rows, column by column. A row is its words (the NULL bits and a word for each column) and then the bytes of its columns of
  * variable length.
  *
  * Layout   the number of rows; each word of all rows; then, if there are columns of variable length, the number of these bytes of each
  *          row, and the bytes. Words of a block are stored as differences from the least one, in 0, 1, 2, 4 or 8 bytes each
  * Guarantee  a row that is read has the bytes of the row that was added
  */
private[exchange] object RowBlocks {

  /** The bytes before the words of a column: their width and the least of them. */
  private[exchange] final val Header = 16

  private[exchange] val Start: Long = Platform.BYTE_ARRAY_OFFSET.toLong

  /** The bytes for a difference of up to `range`, which is unsigned. */
  private[exchange] def widthOf(range: Long): Int =
    if (range == 0L) 0
    else if (range < 0L) 8
    else if (range < (1L << 8)) 1
    else if (range < (1L << 16)) 2
    else if (range < (1L << 32)) 4
    else 8
}

/** Collects rows for each target, and encodes the rows of a target into a block.
  *
  * Cost    two copies of each word of a row
  * Memory  for each target, room for `most` rows
  *
  * @param words       the number of words of a row
  * @param isVariable  whether columns may have a variable length
  * @param targets     how many targets there are
  * @param most        the most rows of a block
  * @param mostBytes   a block ends at the first row with which it has this many bytes of variable length
  */
private[exchange] final class BlockWriter(
    words: Int,
    isVariable: Boolean,
    targets: Int,
    most: Int,
    mostBytes: Int
) {
  import RowBlocks._

  // of a row: its words, and the number of its bytes of variable length
  private val stride = if (isVariable) words + 1 else words
  private val rows = new Array[Long](targets * most * stride)
  private val counts = new Array[Int](targets)
  private val bytes: Array[Array[Byte]] = if (isVariable) Array.fill(targets)(BlockWriter.NoBytes) else null
  private val filled: Array[Int] = if (isVariable) new Array[Int](targets) else null
  private val usual = BlockWriter.mostBytes(words, isVariable, most) + (if (isVariable) mostBytes else 0)
  private var out = new Array[Byte](usual)
  private val block = new UnsafeRow(2)

  def count(target: Int): Int = counts(target)

  /** Adds a row. Returns whether the block of its target is full: it must be encoded before another row is added. */
  def add(row: UnsafeRow, target: Int): Boolean = {
    val (base, from) = (row.getBaseObject, row.getBaseOffset)
    var to = (target * most + counts(target)) * stride
    var at = from
    val end = from + 8L * words
    while (at < end) {
      rows(to) = Platform.getLong(base, at)
      to += 1
      at += 8
    }
    counts(target) += 1
    counts(target) == most | (isVariable && addBytes(base, end, row.getSizeInBytes - 8 * words, target, to))
  }

  /** Adds the bytes of variable length, and their number at a place in `rows`. Returns whether the target has enough of them. */
  private def addBytes(base: AnyRef, from: Long, length: Int, target: Int, to: Int): Boolean = {
    rows(to) = length.toLong
    val old = filled(target)
    // a block ends before its bytes exceed an array: a row has less than 2 GiB, and the others mostBytes
    val size = Math.addExact(old, length)
    if (size > bytes(target).length)
      bytes(target) = Arrays.copyOf(bytes(target), math.max(size, math.min(2L * size, mostBytes).toInt))
    Platform.copyMemory(base, from, bytes(target), Start + old, length.toLong)
    filled(target) = size
    size >= mostBytes
  }

  /** Encodes the rows of a target, and forgets them. Returns a row of a number and the block, which is valid until the next call. */
  def encode(target: Int, number: Int): UnsafeRow = {
    val n = counts(target)
    val first = target * most * stride
    val more = if (isVariable) filled(target) else 0
    makeRoom(Math.toIntExact(BlockWriter.mostBytes(words, isVariable, n).toLong + more))
    val start = Start + BlockWriter.BeforeBlock
    Platform.putLong(out, start, n.toLong)
    var at = start + 8
    var word = 0
    while (word < stride) {
      at = encodeWords(first + word, n, at)
      word += 1
    }
    if (isVariable) {
      System.arraycopy(bytes(target), 0, out, (at - Start).toInt, more)
      at += more
      filled(target) = 0
      // a large row must not keep its memory
      if (bytes(target).length > mostBytes) bytes(target) = BlockWriter.NoBytes
    }
    counts(target) = 0
    rowOf(number, (at - start).toInt)
  }

  /** The row in `out`, as Spark writes it: NULL bits, the number, where the block is and its length, and the block in whole words. */
  private def rowOf(number: Int, length: Int): UnsafeRow = {
    Platform.putLong(out, Start, 0L)
    Platform.putLong(out, Start + 8, 0L)
    Platform.putInt(out, Start + 8, number)
    Platform.putLong(out, Start + 16, BlockWriter.BeforeBlock.toLong << 32 | length.toLong)
    val size = BlockWriter.BeforeBlock + (length + 7) / 8 * 8
    Arrays.fill(out, BlockWriter.BeforeBlock + length, size, 0.toByte)
    block.pointTo(out, size)
    block
  }

  private def makeRoom(needed: Int): Unit =
    // a large row must not keep its memory
    if (needed > out.length || out.length > math.max(needed, 2L * usual))
      out = new Array[Byte](math.max(needed, usual))

  private def encodeWords(first: Int, n: Int, start: Long): Long = {
    val (from, step) = (rows, stride)
    val end = first + n * step
    var least = from(first)
    var greatest = least
    var i = first + step
    while (i < end) {
      least = math.min(least, from(i))
      greatest = math.max(greatest, from(i))
      i += step
    }
    val width = widthOf(greatest - least)
    Platform.putLong(out, start, width.toLong)
    Platform.putLong(out, start + 8, least)
    val into = out
    var at = start + Header
    i = first
    if (width == 1) while (i < end) {
      Platform.putByte(into, at, (from(i) - least).toByte)
      at += 1
      i += step
    }
    else if (width == 2) while (i < end) {
      Platform.putShort(into, at, (from(i) - least).toShort)
      at += 2
      i += step
    }
    else if (width == 4) while (i < end) {
      Platform.putInt(into, at, (from(i) - least).toInt)
      at += 4
      i += step
    }
    else if (width == 8) while (i < end) {
      Platform.putLong(into, at, from(i) - least)
      at += 8
      i += step
    }
    at
  }
}

private[exchange] object BlockWriter {
  private val NoBytes = new Array[Byte](0)

  /** The bytes of the row of a block before the block. */
  private final val BeforeBlock = 24

  /** The most bytes of the row of a block of n rows, without those of variable length. */
  private def mostBytes(words: Int, isVariable: Boolean, n: Int): Int = {
    val stride = if (isVariable) words + 1 else words
    BeforeBlock + 8 + stride * (RowBlocks.Header + 8 * n) + 8
  }

  /** The memory of a writer. */
  def memory(words: Int, isVariable: Boolean, targets: Int, most: Int, mostBytes: Int): Long = {
    val stride = if (isVariable) words + 1L else words.toLong
    8L * targets * most * stride + this.mostBytes(words, isVariable, most) +
      (if (isVariable) (targets + 1L) * mostBytes else 0L)
  }
}

/** Reads the rows of a block.
  *
  * Cost  two copies of each word of a row; three if rows have bytes of variable length
  */
private[exchange] final class BlockReader(columns: Int, isVariable: Boolean) {
  import RowBlocks._

  private val words = UnsafeRow.calculateBitSetWidthInBytes(columns) / 8 + columns
  private val stride = if (isVariable) words + 1 else words
  private val row = new UnsafeRow(columns)
  private var rows = new Array[Long](0)
  private var whole = new Array[Long](0) // a row with its bytes of variable length
  private var count, next = 0

  private var base: AnyRef = null
  private var bytes = 0L // where the bytes of variable length of the next row are

  def hasNext: Boolean = next < count

  /** Begins a block. Its bytes must stay as they are until all rows have been read. */
  def begin(base: AnyRef, start: Long): Unit = {
    count = Platform.getLong(base, start).toInt
    next = 0
    if (rows.length < count * stride) rows = new Array[Long](count * stride)
    var at = start + 8
    var word = 0
    while (word < stride) {
      at = decodeWords(base, at, word)
      word += 1
    }
    this.base = base
    bytes = at
  }

  private def decodeWords(base: AnyRef, start: Long, first: Int): Long = {
    val (into, step, end) = (rows, stride, count * stride)
    val width = Platform.getLong(base, start).toInt
    val least = Platform.getLong(base, start + 8)
    var at = start + Header
    var i = first
    if (width == 0) while (i < end) {
      into(i) = least
      i += step
    }
    else if (width == 1) while (i < end) {
      into(i) = least + (Platform.getByte(base, at) & 0xff)
      at += 1
      i += step
    }
    else if (width == 2) while (i < end) {
      into(i) = least + (Platform.getShort(base, at) & 0xffff)
      at += 2
      i += step
    }
    else if (width == 4) while (i < end) {
      into(i) = least + (Platform.getInt(base, at) & 0xffffffffL)
      at += 4
      i += step
    }
    else while (i < end) {
      into(i) = least + Platform.getLong(base, at)
      at += 8
      i += step
    }
    at
  }

  /** Returns the next row. It is valid until the next call of this method or of [[begin]]. */
  def read(): UnsafeRow = {
    val at = next * stride
    if (isVariable) readWhole(at)
    else row.pointTo(rows, Platform.LONG_ARRAY_OFFSET + 8L * at, 8 * words)
    next += 1
    row
  }

  private def readWhole(at: Int): Unit = {
    val length = rows(at + words).toInt
    val size = 8 * words + length
    if (8L * whole.length < size || whole.length > BlockReader.MostKept)
      whole = new Array[Long]((size + 7) / 8)
    System.arraycopy(rows, at, whole, 0, words)
    Platform.copyMemory(base, bytes, whole, Platform.LONG_ARRAY_OFFSET + 8L * words, length.toLong)
    bytes += length
    row.pointTo(whole, Platform.LONG_ARRAY_OFFSET.toLong, size)
  }
}

private object BlockReader {

  /** A longer array is not kept for the next row. */
  private val MostKept = 1 << 17
}
