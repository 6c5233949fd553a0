package chronosketch.spark.sliding.rows

import java.util.Arrays

import org.apache.spark.TaskContext

import chronosketch.sort.PairSort
import chronosketch.spark.sql.SparkPrivates

/** Sorts records by partition and then by order key. Equal keys stay in the order of their arrival.
  *
  * In a range, rows of one key arrive from several tasks in any order. They are sorted by their place in the window.
  *
  * Cost    a counting sort by partition, then a radix sort of each partition
  * Memory  12 bytes a row, and as many again while the largest partition is sorted
  *
  * @param placeOf the place of a record's row
  */
private final class RecordOrder(records: RowRecords, spec: RowSpec, placeOf: Int => Long) {
  private val task = TaskContext.get()
  private val cancellation = SparkPrivates.cancellationOf(task)
  private var order: Array[Int] = _
  private var keys: Array[Long] = _
  private var ends: Array[Int] = _

  /** The numbers of the records, sorted. */
  def numbers: Array[Int] = order

  /** The order keys of the records, sorted. */
  def orderKeys: Array[Long] = keys

  /** The end of each partition in the sorted arrays. */
  def partitionEnds: Array[Int] = ends

  /** Sorts the records, with the partitions in the given order. Returns false if Spark refuses the memory. */
  def sort(partitions: Array[Int]): Boolean =
    records.take(12L * records.size + 12L * partitions.length) && {
      count(partitions)
      sortPartitions()
    }

  /** Groups the records by partition, in the order of their arrival. */
  private def count(partitions: Array[Int]): Unit = {
    val n = records.size
    val rankOf = new Array[Int](partitions.length)
    var rank = 0
    while (rank < partitions.length) { rankOf(partitions(rank)) = rank; rank += 1 }
    val next = new Array[Int](partitions.length)
    val places = records.places
    var i = 0
    while (i < places) {
      if (records.isFilled(i)) next(rankOf(records.partition(i))) += 1
      i += 1
    }
    ends = new Array[Int](partitions.length)
    var at = 0
    rank = 0
    while (rank < partitions.length) {
      val size = next(rank)
      next(rank) = at
      at += size
      ends(rank) = at
      rank += 1
    }
    order = new Array[Int](n)
    keys = new Array[Long](n)
    i = 0
    while (i < places) {
      cancellation.checkAt(i)
      if (records.isFilled(i)) {
        val p = rankOf(records.partition(i))
        val to = next(p)
        next(p) = to + 1
        order(to) = i
        keys(to) = records.key(i)
      }
      i += 1
    }
  }

  private def sortPartitions(): Boolean = {
    var largest = 0
    var from = 0
    var p = 0
    while (p < ends.length) {
      largest = math.max(largest, ends(p) - from)
      from = ends(p)
      p += 1
    }
    val room = PairSort.bytes(largest)
    spec.orderKey.isEmpty || (records.take(room) && {
      val sorter = new PairSort
      from = 0
      p = 0
      while (p < ends.length) {
        SparkPrivates.endIfKilled(task)
        sorter.sort(keys, order, from, ends(p), cancellation)
        if (spec.isRanged && !sortTies(sorter, from, ends(p))) return false
        if (records.mixesNulls) separateNulls(from, ends(p))
        from = ends(p)
        p += 1
      }
      records.give(room)
      true
    })
  }

  /** Sorts rows of equal keys by their place. Returns false if Spark refuses the memory. */
  private def sortTies(sorter: PairSort, from: Int, until: Int): Boolean = {
    var places = new Array[Long](0)
    var first = from
    while (first < until) {
      var end = first + 1
      while (end < until && keys(end) == keys(first)) end += 1
      if (end - first > 1) {
        if (places.length < end - first) {
          if (!records.take(8L * (end - first - places.length))) return false
          places = new Array[Long](end - first)
        }
        var i = first
        while (i < end) {
          places(i - first) = placeOf(order(i))
          i += 1
        }
        val tied = Arrays.copyOfRange(order, first, end)
        sorter.sort(places, tied, 0, end - first, cancellation)
        System.arraycopy(tied, 0, order, first, end - first)
      }
      first = end
    }
    records.give(8L * places.length)
    true
  }

  /** Separates NULLs from keys with the same 64 bits: NULLs go first or last, as in ORDER BY. */
  private def separateNulls(from: Int, until: Int): Unit = {
    var (first, end) = (from, until)
    if (spec.nullsFirst) {
      end = from
      while (end < until && records.standsForNull(keys(end))) end += 1
    } else {
      first = until
      while (first > from && records.standsForNull(keys(first - 1))) first -= 1
    }
    val (nulls, others) = order.slice(first, end).partition(i => (records.flags(i) & 1L) != 0L)
    System.arraycopy(
      if (spec.nullsFirst) nulls ++ others else others ++ nulls,
      0,
      order,
      first,
      end - first
    )
  }

  def clear(): Unit = {
    order = null
    keys = null
  }
}
