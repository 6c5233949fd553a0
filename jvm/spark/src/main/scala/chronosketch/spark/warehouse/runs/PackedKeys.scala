package chronosketch.spark.warehouse.runs

import java.util.Arrays

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.unsafe.Platform

import chronosketch.grouped.GroupSort
import chronosketch.memory.Meter
import chronosketch.spark.rows.RowKeys

/** Reads groups and their keys from one array of bytes, which Spark moves without conversion. Layout: the number of rows without a key;
  * then for each group the length of its row, the number of its keys, the row and the keys.
  */
private[runs] final class PackedKeys(private val bytes: Array[Byte], columns: Int) {
  private var at = PackedKeys.Header
  private var n = 0

  /** The number of rows without a key. */
  def nulls: Long = Platform.getLong(bytes, PackedKeys.offset(0))

  /** The current group. It points into the array. */
  val by = new UnsafeRow(columns)

  def count: Int = n

  /** Moves to the next group; returns false at the end. */
  def next(): Boolean = {
    at += 8 * n
    at < bytes.length && {
      val length = Platform.getInt(bytes, PackedKeys.offset(at))
      n = Platform.getInt(bytes, PackedKeys.offset(at + 4))
      by.pointTo(bytes, PackedKeys.offset(at + 8), length)
      at += 8 + length
      true
    }
  }

  def key(i: Int): Long = Platform.getLong(bytes, PackedKeys.offset(at + 8 * i))

  /** Copies the keys of the current group into an array, from an index on. */
  def copyTo(keys: Array[Long], place: Int): Unit =
    Platform.copyMemory(bytes, PackedKeys.offset(at), keys, Platform.LONG_ARRAY_OFFSET + 8L * place, 8L * n)
}

private[runs] object PackedKeys {
  private val Header = 8

  def offset(at: Int): Long = Platform.BYTE_ARRAY_OFFSET + at.toLong

  /** Packs one group after the other. */
  final class Builder {
    private var bytes = new Array[Byte](256)
    private var at = Header
    // the offset of the current group
    private var groupStart = 0

    def isEmpty: Boolean = at == Header

    def begin(by: UnsafeRow): Unit = {
      val length = by.getSizeInBytes
      reserve(8 + length)
      groupStart = at
      Platform.putInt(bytes, offset(at), length)
      Platform.putInt(bytes, offset(at + 4), 0)
      by.writeToMemory(bytes, offset(at + 8))
      at += 8 + length
    }

    def add(key: Long): Unit = {
      if (at + 8 > bytes.length) reserve(8)
      Platform.putLong(bytes, offset(at), key)
      at += 8
      addCount(1)
    }

    def add(keys: Array[Long], from: Int, until: Int): Unit =
      copy(keys, Platform.LONG_ARRAY_OFFSET + 8L * from, until - from)

    def add(keys: PackedKeys): Unit =
      copy(keys.bytes, offset(keys.at), keys.count)

    private def copy(from: AnyRef, place: Long, count: Int): Unit = {
      reserve(8 * count)
      Platform.copyMemory(from, place, bytes, offset(at), 8L * count)
      at += 8 * count
      addCount(count)
    }

    private def addCount(by: Int): Unit = {
      val place = offset(groupStart + 4)
      Platform.putInt(bytes, place, Platform.getInt(bytes, place) + by)
    }

    private def reserve(more: Int): Unit =
      if (at + more > bytes.length) bytes = Arrays.copyOf(bytes, math.max(at + more, 2 * bytes.length))

    /** Returns the packed bytes, with the number of rows without a key, and clears the builder. */
    def take(nulls: Long = 0L): Array[Byte] = {
      val packed = Arrays.copyOf(bytes, at)
      Platform.putLong(packed, offset(0), nulls)
      at = Header
      packed
    }
  }
}

/** Packs the rows of a task by group, in batches of a few megabytes, with the number of rows without a key in each batch.
  *
  * @param rows have the columns of `by` and then the key of the value, which may be NULL
  */
private[runs] final class KeyPacker(rows: Iterator[InternalRow], by: StructType)
    extends Iterator[Array[Byte]] {
  private val keyIndex = by.length
  private val groupOf = Groups.projection(by)
  private val meter = new Meter
  private val groups = new RowKeys(by.length, meter)
  private val sorter = new GroupSort(new Meter)
  private val numbers = new Array[Int](KeyPacker.Keys)
  private val keys = new Array[Long](KeyPacker.Keys)
  private val packed = new PackedKeys.Builder

  // the group of the previous row: rows of a group often follow each other
  private val lastGroup = new UnsafeRow(by.length)
  private var lastNumber = -1

  private var nulls = 0L
  private var n = 0

  def hasNext: Boolean = {
    if (n == 0 && nulls == 0) fill()
    n > 0 || nulls > 0
  }

  def next(): Array[Byte] = {
    if (n == 0 && nulls == 0) fill()
    sorter.sort(numbers, keys, n, groups.size)
    var from = 0
    var group = 0
    while (group < groups.size) {
      packed.begin(groups.row(group))
      packed.add(sorter.run, from, sorter.runEnd(group))
      from = sorter.runEnd(group)
      group += 1
    }
    val batch = packed.take(nulls)
    n = 0
    nulls = 0L
    groups.clear()
    lastNumber = -1
    batch
  }

  private def fill(): Unit =
    while (n < KeyPacker.Keys && meter.bytes < KeyPacker.MaxBytes && rows.hasNext) {
      val row = rows.next()
      if (row.isNullAt(keyIndex)) nulls += 1
      else {
        numbers(n) = numberOf(groupOf(row))
        keys(n) = row.getLong(keyIndex)
        n += 1
      }
    }

  private def numberOf(group: UnsafeRow): Int = {
    if (lastNumber < 0 || !lastGroup.equals(group)) {
      lastNumber = groups.find(group)
      groups.point(lastGroup, lastNumber)
    }
    lastNumber
  }
}

private[runs] object KeyPacker {
  val Keys: Int = 1 << 16

  /** The maximal number of bytes that the groups of a batch take. */
  private val MaxBytes = 8L << 20
}
