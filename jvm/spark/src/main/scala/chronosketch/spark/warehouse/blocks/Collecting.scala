package chronosketch.spark.warehouse.blocks

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import chronosketch.grouped.GroupSort
import chronosketch.memory.Meter
import chronosketch.spark.aggregate.operator.RowKeys

/** Packs the rows of a task by group, in batches of a few megabytes, with the number of rows without a key in each batch.
  *
  * @param rows have the columns of `by` and then the key of the value, which may be NULL
  */
private[blocks] final class Collecting(rows: Iterator[InternalRow], by: StructType)
    extends Iterator[Array[Byte]] {
  private val keyIndex = by.length
  private val groupOf = GroupColumns.of(by)
  private val meter = new Meter
  private val groups = new RowKeys(by.length, meter)
  private val sorter = new GroupSort(new Meter)
  private val numbers = new Array[Int](Collecting.Keys)
  private val keys = new Array[Long](Collecting.Keys)
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
    while (n < Collecting.Keys && meter.bytes < Collecting.MostBytes && rows.hasNext) {
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

private[blocks] object Collecting {
  val Keys: Int = 1 << 16

  /** The maximal number of bytes that the groups of a batch take. */
  private val MostBytes = 8L << 20
}
