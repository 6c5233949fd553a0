package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.InternalRow

/** Numbers the groups of an aggregation 0, 1, 2, … in the order in which their keys come. */
trait GroupKeys {
  def size: Int

  /** The group of a row of keys. */
  def find(row: InternalRow): Int

  /** The keys of a group, until the next call. */
  def row(group: Int): InternalRow

  /** Forgets all groups and gives the memory back. */
  def clear(): Unit
}

/** Without grouping keys there is one group, also where there are no rows. */
object OneGroup extends GroupKeys {
  def size: Int = 1
  def find(row: InternalRow): Int = 0
  def row(group: Int): InternalRow = InternalRow.empty
  def clear(): Unit = ()
}
