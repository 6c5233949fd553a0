package chronosketch.spark.rows

import java.util.Arrays

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.DataType

import chronosketch.memory.Meter
import chronosketch.spark.sql.SparkPrivates

/** Numbers the groups of an aggregation 0, 1, 2, … in the order in which their keys first appear. */
trait GroupKeys {
  def size: Int

  /** Returns the group of a row of keys; a new key gets a new group. */
  def find(row: InternalRow): Int

  /** The keys of a group, valid until the next call. */
  def row(group: Int): InternalRow

  /** Removes all groups and frees their memory. */
  def clear(): Unit
}

object GroupKeys {

  /** Returns the groups in an order that their keys decide, not the order in which they appeared: sorted by the hash of the key, then by
    * its bytes. A group is the lower half of its entry.
    */
  def sorted(keys: GroupKeys, types: Seq[DataType]): Array[Long] = {
    val bytesOf = UnsafeProjection.create(types.toArray)
    val task = TaskContext.get()
    val entries = Array.tabulate(keys.size) { group =>
      SparkPrivates.endIfKilled(task, group.toLong)
      bytesOf(keys.row(group)).hashCode().toLong << 32 | group
    }
    Arrays.sort(entries)
    var from = 0
    while (from < entries.length) {
      var until = from + 1
      while (until < entries.length && (entries(until) ^ entries(from)) >>> 32 == 0) until += 1
      if (until - from > 1) {
        val sameHash = entries.slice(from, until)
          .sortWith((a, b) => Arrays.compareUnsigned(bytes(a), bytes(b)) < 0)
        System.arraycopy(sameHash, 0, entries, from, sameHash.length)
      }
      from = until
    }
    def bytes(entry: Long) = bytesOf(keys.row(entry.toInt)).getBytes
    entries
  }
}

/** The single group of an aggregation without grouping keys. It exists even if there are no rows. */
object OneGroup extends GroupKeys {
  def size: Int = 1
  def find(row: InternalRow): Int = 0
  def row(group: Int): InternalRow = InternalRow.empty
  def clear(): Unit = ()
}

/** Numbers groups by the bytes of their keys, which may be of any types, as long as equal values have equal bytes. */
final class RowKeys(columns: Int, meter: Meter) extends GroupKeys {
  private val keys = new ByteKeys(meter)
  private val current = new UnsafeRow(columns)

  def size: Int = keys.size

  def find(row: InternalRow): Int = find(row.asInstanceOf[UnsafeRow])

  /** Returns the group of a key. A new key gets a new group, and its bytes are copied. */
  def find(key: UnsafeRow): Int = keys.find(key.getBaseObject, key.getBaseOffset, key.getSizeInBytes)

  def row(group: Int): UnsafeRow = {
    point(current, group)
    current
  }

  /** Points a row to the keys of a group. It is valid until the groups are cleared. */
  def point(row: UnsafeRow, group: Int): Unit =
    row.pointTo(keys.chunk(group), keys.offset(group), keys.length(group))

  def clear(): Unit = keys.clear()
}
