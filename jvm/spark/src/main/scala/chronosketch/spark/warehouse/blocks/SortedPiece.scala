package chronosketch.spark.warehouse.blocks

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.BinaryType

import chronosketch.spark.rows.RowFile

/** A spilled piece of sorted blocks on the task's disk, written once and read once. */
private[blocks] final class SortedPiece(blocks: Int, columns: Int) {
  private val file = new RowFile(blocks)
  private val project = UnsafeProjection.create(Seq(BoundReference(0, BinaryType, nullable = false)))
  private val packed = new PackedKeys.Builder

  def write(by: UnsafeRow, keys: Array[Long], from: Int, until: Int): Unit = {
    packed.begin(by)
    packed.add(keys, from, until)
    file.write(project(InternalRow(packed.take())))
  }

  /** Ends writing and returns the number of bytes. */
  def close(): Long = {
    file.close()
    file.bytes
  }

  def read(): Iterator[KeyBlock] = new Iterator[KeyBlock] {
    private val row = new UnsafeRow(1)
    private val keys = new Array[Long](KeyBlock.Keys)

    def hasNext: Boolean = file.hasNext
    def next(): KeyBlock = {
      file.next(row)
      val block = new PackedKeys(row.getBinary(0), columns)
      block.next()
      block.copyTo(keys, 0)
      KeyBlock(block.by, keys, block.count)
    }
  }

  def delete(): Unit = file.delete()
}
