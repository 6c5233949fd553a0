package chronosketch.spark.warehouse.runs

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, RowOrdering, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType

import chronosketch.spark.rows.KeyOf

/** Extracts the groups of rows and puts them in the order that files have. The columns of `by` make up the group; they are the first
  * columns of a row.
  */
private[warehouse] object Groups {

  /** A projection of rows to their groups. Each returned row is valid until the next. */
  def projection(by: StructType): UnsafeProjection = UnsafeProjection.create(
    by.zipWithIndex.map { case (f, i) => BoundReference(i, f.dataType, f.nullable) }
  )

  /** The order of groups in files: ascending, NULL first. */
  def ordering(by: StructType): Ordering[InternalRow] =
    if (by.isEmpty) (_: InternalRow, _: InternalRow) => 0
    else RowOrdering.createNaturalAscendingOrdering(by.map(_.dataType))
}

/** Extracts the group and the key of the value from rows with the columns of `by` and then the value. */
private[warehouse] final class GroupKeyExtractor(schema: StructType) {
  private val valueIndex = schema.length - 1
  private val keyOf = UnsafeProjection.create(Seq(
    KeyOf(BoundReference(valueIndex, schema.last.dataType, nullable = false))
  ))
  private val groupOf = Groups.projection(StructType(schema.init))

  def hasValue(row: InternalRow): Boolean = !row.isNullAt(valueIndex)
  def key(row: InternalRow): Long = keyOf(row).getLong(0)

  /** The group of a row. Valid until the next call. */
  def group(row: InternalRow): UnsafeRow = groupOf(row)
}

/** A block of sorted keys of one group: the first `count` of `keys`. It is valid until the next block is requested. */
private[warehouse] final case class KeyBlock(by: UnsafeRow, keys: Array[Long], count: Int)

private[warehouse] object KeyBlock {

  /** The default number of keys per block. */
  val Keys = 8192
}
