package chronosketch.spark.warehouse.blocks

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.memory.MemoryMode
import org.apache.spark.sql.types.StructType

import chronosketch.memory.Meter
import chronosketch.sort.KeySort
import chronosketch.spark.aggregate.operator.RowKeys
import chronosketch.spark.memory.SlidingMemory
import chronosketch.spark.sliding.rows.PartitionOrder
import chronosketch.spark.sql.SparkPrivates

/** Sorts what a task is given, by group and key.
  *
  * Cost    a hash look-up a group of each array, a radix sort of each group's keys
  * Memory  is asked of Spark before it is taken: 24 bytes a key. Where Spark refuses, what is there goes to disk as a sorted piece, and
  *         pieces are merged at the end
  */
private[blocks] final class BlockSort(task: TaskContext, by: StructType) {
  private val memory =
    new SlidingMemory(SparkPrivates.memoryOf(task), MemoryMode.ON_HEAP, _ => 0L)
  private val sorter = new KeySort
  private val pieces = mutable.ArrayBuffer.empty[SortedPiece]
  private var taken = 0L

  // what has come since the last piece: packed, the number of each group in it, and how many keys each group has
  private val packed = mutable.ArrayBuffer.empty[Array[Byte]]
  private val meter = new Meter
  private val groups = new RowKeys(by.length, meter)
  private val counts = new mutable.ArrayBuilder.ofInt
  private var sizes = new Array[Int](64)
  private var metered = 0L
  private var n = 0L

  task.addTaskCompletionListener[Unit](_ => close())

  def add(bytes: Array[Byte]): Unit = {
    // the array itself, its keys by group, and room to sort them
    val wanted = 3L * bytes.length
    val isFull = n + bytes.length / 8 > BlockSort.MostKeys
    if (isFull || (!take(wanted) && n >= BlockSort.FewestKeys)) {
      spill()
      take(wanted)
    }
    packed += bytes
    count(bytes)
  }

  private def take(bytes: Long): Boolean = {
    val more = bytes + meter.bytes - metered
    val isGranted = memory.take(more)
    if (isGranted) {
      taken += more
      metered = meter.bytes
    }
    isGranted
  }

  private def count(bytes: Array[Byte]): Unit = {
    val keys = new PackedKeys(bytes, by.length)
    while (keys.next()) {
      val group = groups.find(keys.by)
      if (group >= sizes.length) sizes = java.util.Arrays.copyOf(sizes, 2 * sizes.length)
      sizes(group) += keys.count
      counts += group
      n += keys.count
    }
  }

  /** All of it, once. */
  def sorted(): Iterator[KeyBlock] =
    if (pieces.isEmpty) here()
    else {
      if (n > 0) spill()
      new BlockMerge(pieces.map(_.read()).toIndexedSeq, by)
    }

  /** What is in memory, group by group. */
  private def here(): Iterator[KeyBlock] = {
    val keysOf = gathered()
    val order = PartitionOrder.of(groups, by.map(_.dataType))
    order.iterator.map { group =>
      val keys = keysOf(group)
      // not needed when the next one comes
      keysOf(group) = null
      sorter.sort(keys, keys.length)
      KeyBlock(groups.row(group), keys, keys.length)
    }
  }

  /** The keys of each group, as they came. */
  private def gathered(): Array[Array[Long]] = {
    val keysOf = Array.tabulate(groups.size)(group => new Array[Long](sizes(group)))
    val filled = new Array[Int](groups.size)
    val numbers = counts.result()
    var at = 0
    packed.indices.foreach { i =>
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
    val piece = new SortedPiece(blocks, by.length)
    pieces += piece
    here().foreach { block =>
      (0 until block.count by KeyBlock.Keys).foreach { from =>
        piece.write(block.by, block.keys, from, math.min(from + KeyBlock.Keys, block.count))
      }
    }
    SparkPrivates.addSpilled(task, piece.close())
    groups.clear()
    counts.clear()
    java.util.Arrays.fill(sizes, 0)
    n = 0
    giveBack()
  }

  private def giveBack(): Unit = {
    memory.give(taken)
    taken = 0L
    metered = 0L
  }

  private def close(): Unit = {
    giveBack()
    pieces.foreach(_.delete())
  }
}

private object BlockSort {

  /** An array of keys and the room beside it have their limits. */
  val MostKeys: Long = 1L << 27

  /** What a piece has at least: each is read with a buffer of its own. So many are sorted even where Spark refuses, in some megabytes. */
  val FewestKeys: Long = 1L << 17
}
