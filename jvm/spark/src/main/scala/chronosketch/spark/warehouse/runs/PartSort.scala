package chronosketch.spark.warehouse.runs

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.memory.MemoryMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{BinaryType, StructType}

import chronosketch.memory.Meter
import chronosketch.sort.{KeyMerge, KeySort}
import chronosketch.spark.memory.SlidingMemory
import chronosketch.spark.rows.{PartitionOrder, RowFile, RowKeys}
import chronosketch.spark.sql.SparkPrivates

/** Sorts the keys of a task by group and key.
  *
  * Cost    one hash lookup per group of each array, and a radix sort of each group's keys
  * Memory  16 bytes per key, and 2 more per key of one giant group, requested from Spark before use. If Spark refuses, the keys are
  *         spilled to disk as a sorted piece, and the pieces are merged at the end
  */
private[runs] final class PartSort(task: TaskContext, by: StructType) {
  private val memory =
    new SlidingMemory(SparkPrivates.memoryOf(task), MemoryMode.ON_HEAP, _ => 0L)
  private val sorter = new KeySort
  private val cancellation = SparkPrivates.cancellationOf(task)
  private val pieces = mutable.ArrayBuffer.empty[SpilledPiece]
  private var reserved = 0L

  // the input since the last piece: the packed arrays, the number of each group in them, and the keys per group
  private val packed = mutable.ArrayBuffer.empty[Array[Byte]]
  private val meter = new Meter
  private val groups = new RowKeys(by.length, meter)
  private val counts = new mutable.ArrayBuilder.ofInt
  private var sizes = new Array[Int](64)
  private var n, packedBytes, largest = 0L

  task.addTaskCompletionListener[Unit](_ => close())

  def add(bytes: Array[Byte]): Unit = {
    val isFull = n + bytes.length / 8 > PartSort.MaxKeys
    if (isFull || (!requestMemory(bytes.length.toLong) && n >= PartSort.MinKeys)) {
      spill()
      requestMemory(bytes.length.toLong)
    }
    packed += bytes
    packedBytes += bytes.length
    count(bytes)
  }

  /** Requests memory for one more array of this length. Returns whether Spark grants it. */
  private def requestMemory(bytes: Long): Boolean = {
    // the keys by group exist together with the arrays that they come from, and later with the scratch memory of the largest group's sort
    val mostKeys = bytes / 8
    val keys = 8L * (n + mostKeys) + PartSort.GroupBytes * groups.size
    val needed =
      keys + math.max(packedBytes + bytes, KeySort.bytes(largest + mostKeys)) + meter.bytes
    val more = math.max(0L, needed - reserved)
    val isGranted = memory.take(more)
    if (isGranted) reserved += more
    isGranted
  }

  private def count(bytes: Array[Byte]): Unit = {
    val keys = new PackedKeys(bytes, by.length)
    while (keys.next()) {
      val group = groups.find(keys.by)
      if (group >= sizes.length) sizes = java.util.Arrays.copyOf(sizes, 2 * sizes.length)
      sizes(group) += keys.count
      largest = math.max(largest, sizes(group).toLong)
      counts += group
      n += keys.count
    }
  }

  /** The sorted blocks. Can be called once. */
  def sorted(): Iterator[KeyBlock] =
    if (pieces.isEmpty) sortedInMemory()
    else {
      if (n > 0) spill()
      new BlockMerge(pieces.map(_.read()).toIndexedSeq, by)
    }

  /** Sorts what is in memory, group by group. */
  private def sortedInMemory(): Iterator[KeyBlock] = {
    val keysOf = keysByGroup()
    val order = PartitionOrder.of(groups, by.map(_.dataType))
    order.iterator.map { group =>
      SparkPrivates.endIfKilled(task)
      val keys = keysOf(group)
      // let the array be freed while the next group is sorted
      keysOf(group) = null
      sorter.sort(keys, keys.length, cancellation)
      KeyBlock(groups.row(group), keys, keys.length)
    }
  }

  /** The keys of each group, unsorted. */
  private def keysByGroup(): Array[Array[Long]] = {
    val keysOf = Array.tabulate(groups.size)(group => new Array[Long](sizes(group)))
    val filled = new Array[Int](groups.size)
    val numbers = counts.result()
    var at = 0
    packed.indices.foreach { i =>
      SparkPrivates.endIfKilled(task)
      val keys = new PackedKeys(packed(i), by.length)
      packed(i) = null
      while (keys.next()) {
        val group = numbers(at)
        keys.copyTo(keysOf(group), filled(group))
        filled(group) += keys.count
        at += 1
      }
    }
    packed.clear()
    keysOf
  }

  private def spill(): Unit = {
    val blocks = (0 until groups.size).map(g => (sizes(g) + KeyBlock.Keys - 1) / KeyBlock.Keys).sum
    val piece = new SpilledPiece(blocks, by.length)
    pieces += piece
    sortedInMemory().foreach { block =>
      (0 until block.count by KeyBlock.Keys).foreach { from =>
        piece.write(block.by, block.keys, from, math.min(from + KeyBlock.Keys, block.count))
      }
    }
    SparkPrivates.addSpilled(task, piece.close())
    groups.clear()
    counts.clear()
    java.util.Arrays.fill(sizes, 0)
    n = 0
    packedBytes = 0
    largest = 0
    releaseMemory()
  }

  private def releaseMemory(): Unit = {
    memory.give(reserved)
    reserved = 0L
  }

  private def close(): Unit = {
    releaseMemory()
    pieces.foreach(_.delete())
  }
}

private object PartSort {

  /** The maximal number of keys in memory, because arrays have a maximal length. */
  val MaxKeys: Long = 1L << 27

  /** The minimal number of keys in a spilled piece: each piece is read through a buffer of its own. This many keys, a few megabytes, are
    * sorted in memory even if Spark refuses.
    */
  val MinKeys: Long = 1L << 17

  /** The memory of a group besides its keys and its row: the header of its array and the numbers about it. */
  private val GroupBytes: Long = 40
}

/** A spilled piece of sorted blocks on the task's disk, written once and read once. */
private[runs] final class SpilledPiece(blocks: Int, columns: Int) {
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

/** Merges several sorted inputs of blocks into one.
  *
  * Cost    one comparison of rows per input and group, and that of [[KeyMerge]] per key
  * Memory  one block per input, and one more
  */
private[warehouse] final class BlockMerge(inputs: IndexedSeq[Iterator[KeyBlock]], by: StructType)
    extends Iterator[KeyBlock] {
  private val order: Ordering[InternalRow] = Groups.ordering(by)
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
