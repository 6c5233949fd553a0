package chronosketch.spark.warehouse.blocks

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The first `count` of these keys, which are one group's and in order. It holds until the next block is asked for. */
private[warehouse] final case class KeyBlock(by: UnsafeRow, keys: Array[Long], count: Int)

private[warehouse] object KeyBlock {

  /** How many keys go together where nothing else says how many. */
  val Keys = 8192
}
