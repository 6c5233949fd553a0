package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.InternalRow

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

/** The single group of an aggregation without grouping keys. It exists even if there are no rows. */
object OneGroup extends GroupKeys {
  def size: Int = 1
  def find(row: InternalRow): Int = 0
  def row(group: Int): InternalRow = InternalRow.empty
  def clear(): Unit = ()
}
