package chronosketch.spark.aggregate.operator

import chronosketch.Refusal
import chronosketch.grouped.{GroupedInserts, GroupedTimed}
import chronosketch.memory.Meter
import chronosketch.spark.rows.KeyNumbers

/** Buffers rows until their groups are looked up together.
  *
  * Guarantee  the values of a group are inserted in order of arrival
  * Cost       for each row two stores, plus one per column, or two per column once a row had no value there. In return, look-ups and
  *            accesses to groups wait for memory together with many others instead of one after the other
  */
final class RowBatch(
    keys: KeyNumbers,
    columns: Array[BatchColumn],
    state: AggregateState,
    meter: Meter
) {
  private var wanted = new Array[Long](RowBatch.FewestRows)
  private var isNull = new Array[Boolean](RowBatch.FewestRows)
  private var groups = new Array[Int](RowBatch.FewestRows)
  private var hasNulls = false
  private var count = 0
  meter.add(sizeBytes)

  private def sizeBytes: Long = wanted.length * (13L + columns.map(_.rowBytes).sum)

  def column(index: Int): BatchColumn = columns(index)

  /** The position of the next row. */
  def row: Int = count

  /** Adds a row's key. Returns true if the batch is now full. */
  def add(key: Long): Boolean = {
    wanted(count) = key
    count += 1
    count == wanted.length
  }

  /** Adds a row whose key is NULL. Returns true if the batch is now full. */
  def addNull(): Boolean = {
    markNull(count)
    add(0L)
  }

  /** The array into which many rows at once write their keys, starting at [[row]]. */
  def keysOfRows: Array[Long] = wanted

  /** The number of rows that can still be added. */
  def room: Int = wanted.length - count

  /** Records that the key of a row is NULL. */
  def markNull(row: Int): Unit = {
    wanted(row) = 0L
    isNull(row) = true
    hasNulls = true
  }

  /** Records that n rows have written their keys and values. Returns true if the batch is now full. */
  def addRows(n: Int): Boolean = {
    count += n
    count == wanted.length
  }

  /** Inserts all values into their groups and empties the batch. Returns the number of rows. */
  def flush(): Int = {
    val rows = count
    if (rows > 0) {
      if (hasNulls) findEach() else keys.findAll(wanted, rows, groups)
      var i = 0
      while (i < columns.length) {
        try columns(i).flush(groups, keys.size)
        catch { case refusal: Refusal => throw state.refused(i, refusal) }
        i += 1
      }
      if (rows == wanted.length && rows < RowBatch.MostRows) grow()
      count = 0
    }
    rows
  }

  private def findEach(): Unit = {
    var i = 0
    while (i < count) {
      groups(i) = if (isNull(i)) keys.findNull() else keys.find(wanted(i))
      isNull(i) = false
      i += 1
    }
    hasNulls = false
  }

  private def grow(): Unit = {
    meter.add(-sizeBytes)
    val rows = 4 * wanted.length
    wanted = new Array[Long](rows)
    isNull = new Array[Boolean](rows)
    groups = new Array[Int](rows)
    columns.foreach(_.grow(rows))
    meter.add(sizeBytes)
  }
}

private[operator] object RowBatch {
  val FewestRows: Int = 1 << 8
  val MostRows: Int = 1 << 16
}

/** Buffers the values of one column for the rows of a batch. Rows without a value take no space. */
abstract class BatchColumn {
  private var keys = new Array[Long](RowBatch.FewestRows)
  private var count = 0

  // whether a row had no value; from then on, the row of each value is recorded
  private var hasHoles = false
  private var rows = Array.emptyIntArray
  private var groups = Array.emptyIntArray

  /** The bytes that a row takes. */
  def rowBytes: Long = 16L

  /** Inserts the first n keys, each into the group at the same position. */
  protected def insert(groups: Array[Int], keys: Array[Long], n: Int, groupsUntil: Int): Unit

  final def put(row: Int, key: Long): Unit = {
    if (row != count && !hasHoles) startRecordingRows()
    keys(count) = key
    if (hasHoles) rows(count) = row
    count += 1
  }

  /** The array into which many rows at once write their values, starting at [[size]]. */
  def keysOfRows: Array[Long] = keys
  def size: Int = count

  /** Records that n consecutive rows, starting at `row`, have written their values. */
  def putRows(row: Int, n: Int): Unit = {
    if (row != count && !hasHoles) startRecordingRows()
    if (hasHoles) {
      var i = 0
      while (i < n) { rows(count + i) = row + i; i += 1 }
    }
    count += n
  }

  /** Records that n rows have written their values; their positions are counted from `row`. */
  def putSome(row: Int, positions: Array[Int], n: Int): Unit = {
    if (!hasHoles) startRecordingRows()
    var i = 0
    while (i < n) { rows(count + i) = row + positions(i); i += 1 }
    count += n
  }

  /** Starts to record the row of each value. Until now, the n-th value belongs to the n-th row. */
  private def startRecordingRows(): Unit = {
    hasHoles = true
    if (rows.length < keys.length) {
      rows = new Array[Int](keys.length)
      groups = new Array[Int](keys.length)
    }
    var i = 0
    while (i < count) { rows(i) = i; i += 1 }
  }

  final def flush(groupOf: Array[Int], groupsUntil: Int): Unit = {
    val n = count
    count = 0
    if (!hasHoles) insert(groupOf, keys, n, groupsUntil)
    else {
      hasHoles = false
      var i = 0
      while (i < n) { groups(i) = groupOf(rows(i)); i += 1 }
      insert(groups, keys, n, groupsUntil)
    }
  }

  def grow(to: Int): Unit = keys = new Array[Long](to)
}

/** Buffers values without times. */
final class ValueColumn(summaries: GroupedInserts) extends BatchColumn {
  protected def insert(groups: Array[Int], keys: Array[Long], n: Int, groupsUntil: Int): Unit =
    summaries.insertAll(groups, keys, n, groupsUntil)
}

/** Buffers values and their times. */
final class TimedColumn(summaries: GroupedTimed) extends BatchColumn {
  private var times = new Array[Long](RowBatch.FewestRows)

  override def rowBytes: Long = 24L

  def put(row: Int, key: Long, time: Long): Unit = {
    times(size) = time
    put(row, key)
  }

  /** The array into which many rows at once write their times, at the positions of their values. */
  def timesOfRows: Array[Long] = times

  protected def insert(groups: Array[Int], keys: Array[Long], n: Int, groupsUntil: Int): Unit =
    summaries.insertAll(groups, keys, times, n, groupsUntil)

  override def grow(to: Int): Unit = {
    super.grow(to)
    times = new Array[Long](to)
  }
}
