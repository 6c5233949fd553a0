package chronosketch.spark.warehouse.blocks

import scala.reflect.ClassTag

import org.apache.spark.TaskContext
import org.apache.spark.sql.types.StructType

/** What was made of the sorted rows, part by part in their order; rows without a value were left out. */
private[warehouse] final case class Sorted[A](parts: Seq[A], nulls: Long)

/** Rows that come sorted by group and value. */
private[warehouse] trait SortedRows {

  /** The columns of `by` and then the value. */
  def schema: StructType

  /** Makes something of each part, in a task of its own. */
  def each[A: ClassTag](make: (TaskContext, Iterator[KeyBlock]) => A): Sorted[A]
}
