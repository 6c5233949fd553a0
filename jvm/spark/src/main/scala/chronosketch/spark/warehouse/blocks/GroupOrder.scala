package chronosketch.spark.warehouse.blocks

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.types.StructType

/** The order of groups in files: ascending, NULL first. */
private[warehouse] object GroupOrder {
  def of(by: StructType): Ordering[InternalRow] =
    if (by.isEmpty) (_: InternalRow, _: InternalRow) => 0
    else RowOrdering.createNaturalAscendingOrdering(by.map(_.dataType))
}
