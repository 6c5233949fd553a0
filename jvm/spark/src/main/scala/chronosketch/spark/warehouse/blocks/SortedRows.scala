package chronosketch.spark.warehouse.blocks

import scala.reflect.ClassTag

import org.apache.spark.TaskContext
import org.apache.spark.sql.types.StructType

/** The results of all parts in order, and the number of rows that were left out because their value is NULL. */
private[warehouse] final case class Sorted[A](parts: Seq[A], nulls: Long)

/** A source of rows sorted by group and value. */
private[warehouse] trait SortedRows {

  /** The columns of `by` and then the value. */
  def schema: StructType

  /** Applies a function to each part, in a task of its own. */
  def each[A: ClassTag](make: (TaskContext, Iterator[KeyBlock]) => A): Sorted[A]
}
