package chronosketch.spark.warehouse.blocks

import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection}
import org.apache.spark.sql.types.StructType

/** Extracts the group of a row: its first columns, which are those of `by`. */
private[warehouse] object GroupColumns {

  /** Each returned row is valid until the next. */
  def of(by: StructType): UnsafeProjection = UnsafeProjection.create(
    by.zipWithIndex.map { case (f, i) => BoundReference(i, f.dataType, f.nullable) }
  )
}
