package chronosketch.spark.sliding.keys

import org.apache.spark.sql.catalyst.expressions.{Expression, NullsFirst, SortOrder}

/** ORDER BY as 64 bits a row. */
object OrderKey {

  /** 64 bits that sort as ORDER BY does, but for the NULLs of a single column; none where the columns do not fit them. */
  def of(order: Seq[SortOrder]): Option[Expression] = order match {
    case Seq() => None
    case Seq(one) => KeyOf.of(one.child, isDescending = !one.isAscending)
    case several => PackedKey.of(several)
  }

  /** The 64 bits that stand for NULL where rows are placed: the first place, or the last. */
  def ofNull(order: SortOrder): Long =
    if (order.nullOrdering == NullsFirst) Long.MinValue else Long.MaxValue
}
