package chronosketch.spark.sliding.rows

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{SortPrefixUtils, UnsafeExternalRowSorter}
import org.apache.spark.sql.types.{LongType, StructField, StructType}

import chronosketch.spark.sql.SparkPrivates

/** Sorts with Spark's sorter, which can spill: by partition keys, by ORDER BY, and then in the order of arrival. For this each row
  * has its number in the column of its first answer. A row of a range has its place there.
  */
final class RowSorter(spec: RowSpec) {
  private val order =
    spec.sort :+ SortOrder(BoundReference(spec.width, LongType, nullable = false), Ascending)
  private val taskMetrics = TaskContext.get().taskMetrics()
  private val spilledBefore = taskMetrics.diskBytesSpilled
  private var count = 0L

  private val sorter = {
    val schema = StructType(spec.wide.zipWithIndex.map { case (e, i) => StructField(s"c$i", e.dataType) })
    val prefix = SortPrefix(order.head)
    val prefixOf = UnsafeProjection.create(Seq(prefix))
    val computer = new UnsafeExternalRowSorter.PrefixComputer {
      private val result = new UnsafeExternalRowSorter.PrefixComputer.Prefix
      def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix = {
        val value = prefixOf(row)
        result.isNull = value.isNullAt(0)
        result.value = if (result.isNull) prefix.nullValue else value.getLong(0)
        result
      }
    }
    UnsafeExternalRowSorter.create(
      schema,
      RowOrdering.create(order, Nil),
      SortPrefixUtils.getPrefixComparator(order.head),
      computer,
      SparkPrivates.memoryOf(TaskContext.get()).pageSizeBytes,
      false // more than one key: no radix sort
    )
  }

  def add(wide: UnsafeRow): Unit = {
    if (!spec.isRanged) wide.setLong(spec.width, count)
    count += 1
    sorter.insertRow(wide)
  }

  def size: Long = count

  /** Bytes that the task has spilled since this sorter was created. Spark only counts them for the whole task. */
  def spilledBytes: Long = taskMetrics.diskBytesSpilled - spilledBefore

  def sorted(): Iterator[UnsafeRow] = sorter.sort().asInstanceOf[Iterator[UnsafeRow]]

  def close(): Unit = sorter.cleanupResources()
}
