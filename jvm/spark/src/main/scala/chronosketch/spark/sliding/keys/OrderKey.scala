package chronosketch.spark.sliding.keys

import org.apache.spark.sql.catalyst.expressions.{Expression, NullsFirst, SortOrder}

/** Encodes a row's ORDER BY columns in 64 bits. */
object OrderKey {

  /** 64 bits that sort like ORDER BY, except for the NULLs of a single column. None if the columns do not fit. */
  def of(order: Seq[SortOrder]): Option[Expression] = order match {
    case Seq() => None
    case Seq(one) => KeyOf.of(one.child, isDescending = !one.isAscending)
    case several => PackedKey.of(several)
  }

  /** The 64 bits of NULL when rows are assigned to ranges: the least or the greatest key. */
  def ofNull(order: SortOrder): Long =
    if (order.nullOrdering == NullsFirst) Long.MinValue else Long.MaxValue
}
