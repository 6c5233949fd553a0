package chronosketch.spark.warehouse.blocks

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** A block of sorted keys of one group: the first `count` of `keys`. It is valid until the next block is requested. */
private[warehouse] final case class KeyBlock(by: UnsafeRow, keys: Array[Long], count: Int)

private[warehouse] object KeyBlock {

  /** The default number of keys per block. */
  val Keys = 8192
}
