package chronosketch.spark.warehouse.blocks

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import chronosketch.sort.KeyMerge

/** Merges several sorted inputs of blocks into one.
  *
  * Cost    one comparison of rows per input and group, and that of [[KeyMerge]] per key
  * Memory  one block per input, and one more
  */
private[warehouse] final class BlockMerge(inputs: IndexedSeq[Iterator[KeyBlock]], by: StructType)
    extends Iterator[KeyBlock] {
  private val order: Ordering[InternalRow] = GroupOrder.of(by)
  private val heads: Array[KeyBlock] = inputs.map(_.nextOption().orNull).toArray
  private val out = new Array[Long](KeyBlock.Keys)

  // the group being merged, and the merge of the inputs that have it
  private var group: UnsafeRow = null
  private val merge = new KeyMerge(inputs.size) {
    // whether the merge was given the head of an input
    private val isConsumed = new Array[Boolean](inputs.size)

    protected def fill(input: Int): Boolean = {
      if (isConsumed(input)) heads(input) = inputs(input).nextOption().orNull
      val head = heads(input)
      isConsumed(input) = head != null && head.by == group
      if (isConsumed(input)) {
        keys(input) = head.keys
        starts(input) = 0
        ends(input) = head.count
      }
      isConsumed(input)
    }
  }

  def hasNext: Boolean = merge.left > 0 || heads.exists(_ != null)

  def next(): KeyBlock = {
    if (merge.left == 0) begin()
    KeyBlock(group, out, merge.next(out))
  }

  /** Begins the next group, with all inputs that have it. */
  private def begin(): Unit = {
    var first: UnsafeRow = null
    heads.foreach(head => if (head != null && (first == null || order.lt(head.by, first))) first = head.by)
    group = first.copy()
    heads.indices.foreach(input => if (heads(input) != null && heads(input).by == group) merge.add(input))
  }
}
