package chronosketch.spark.warehouse.blocks

import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection}
import org.apache.spark.sql.types.StructType

/** The group of a row: its first columns, which are those of `by`. */
private[warehouse] object GroupColumns {

  /** Each row that it makes is good until the next. */
  def of(by: StructType): UnsafeProjection = UnsafeProjection.create(
    by.zipWithIndex.map { case (f, i) => BoundReference(i, f.dataType, f.nullable) }
  )
}
