package chronosketch.spark.warehouse.runs

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType

import chronosketch.spark.rows.KeyOf
import chronosketch.spark.warehouse.blocks.GroupColumns

/** Extracts the group and the key of the value from rows with the columns of `by` and then the value. */
private[warehouse] final class GroupedKeys(schema: StructType) {
  private val valueIndex = schema.length - 1
  private val keyOf = UnsafeProjection.create(Seq(
    KeyOf(BoundReference(valueIndex, schema.last.dataType, nullable = false))
  ))
  private val by = GroupColumns.of(StructType(schema.init))

  def hasValue(row: InternalRow): Boolean = !row.isNullAt(valueIndex)
  def key(row: InternalRow): Long = keyOf(row).getLong(0)

  /** The group of a row. Valid until the next call. */
  def group(row: InternalRow): UnsafeRow = by(row)
}
