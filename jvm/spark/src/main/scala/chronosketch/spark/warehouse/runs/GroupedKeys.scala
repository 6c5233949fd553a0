package chronosketch.spark.warehouse.runs

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.StructType

import chronosketch.spark.sliding.keys.KeyOf
import chronosketch.spark.warehouse.blocks.GroupColumns

/** Of a row with the columns of `by` and then the value: its group, and the key of its value. */
private[warehouse] final class GroupedKeys(schema: StructType) {
  private val place = schema.length - 1
  private val keyOf = UnsafeProjection.create(Seq(
    KeyOf(BoundReference(place, schema.last.dataType, nullable = false))
  ))
  private val by = GroupColumns.of(StructType(schema.init))

  def hasValue(row: InternalRow): Boolean = !row.isNullAt(place)
  def key(row: InternalRow): Long = keyOf(row).getLong(0)

  /** Good until the next row is asked for its own. */
  def group(row: InternalRow): UnsafeRow = by(row)
}
