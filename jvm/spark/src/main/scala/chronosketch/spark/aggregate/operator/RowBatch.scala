package chronosketch.spark.aggregate.operator

import chronosketch.Refusal
import chronosketch.grouped.{GroupedInserts, GroupedTimed}
import chronosketch.memory.Meter

/** Rows that wait until their groups are looked up together.
  *
  * Guarantee  a group's values go in in order of arrival
  * Cost       a row: two stores, and one a column; two, once a row had no value there. In return a look-up, and what a group is kept in, wait for memory together
  *            with many others, not one after the other
  */
final class RowBatch(
    keys: LongKeys,
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

  /** The number of the row that comes next. */
  def row: Int = count

  /** Whether there is no room for another. */
  def isFullWith(key: Long): Boolean = {
    wanted(count) = key
    count += 1
    count == wanted.length
  }

  def isFullWithNull(): Boolean = {
    markNull(count)
    isFullWith(0L)
  }

  /** Where rows that come many at once bring their keys, from [[row]] on; how many more there is room for. */
  def keysOfRows: Array[Long] = wanted
  def room: Int = wanted.length - count

  /** Of a row whose key is NULL. */
  def markNull(row: Int): Unit = {
    wanted(row) = 0L
    isNull(row) = true
    hasNulls = true
  }

  /** So many rows have brought their keys and values; whether there is no room for another. */
  def isFullWithRows(n: Int): Boolean = {
    count += n
    count == wanted.length
  }

  /** Puts all values where they belong; the number of rows. */
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

/** The values of one column among the rows that wait: of rows without one there is nothing. */
abstract class BatchColumn {
  private var keys = new Array[Long](RowBatch.FewestRows)
  private var count = 0

  // whether a row had no value: from then on it is noted which row each value is of
  private var hasHoles = false
  private var rows = Array.emptyIntArray
  private var groups = Array.emptyIntArray

  /** What a row takes. */
  def rowBytes: Long = 16L

  /** The first n keys, each into the group of its number. */
  protected def insert(groups: Array[Int], keys: Array[Long], n: Int, groupsUntil: Int): Unit

  final def put(row: Int, key: Long): Unit = {
    if (row != count && !hasHoles) noteRows()
    keys(count) = key
    if (hasHoles) rows(count) = row
    count += 1
  }

  /** Where rows that come many at once bring their values, from [[size]] on. */
  def keysOfRows: Array[Long] = keys
  def size: Int = count

  /** So many rows have brought their values, the first of which is `row`. */
  def putRows(row: Int, n: Int): Unit = {
    if (row != count && !hasHoles) noteRows()
    if (hasHoles) {
      var i = 0
      while (i < n) { rows(count + i) = row + i; i += 1 }
    }
    count += n
  }

  /** The same of some rows alone: the n of these numbers, counted from `row`. */
  def putSome(row: Int, which: Array[Int], n: Int): Unit = {
    if (!hasHoles) noteRows()
    var i = 0
    while (i < n) { rows(count + i) = row + which(i); i += 1 }
    count += n
  }

  /** So far the n-th value is that of the n-th row. */
  private def noteRows(): Unit = {
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

/** Values alone. */
final class ValueColumn(summaries: GroupedInserts) extends BatchColumn {
  protected def insert(groups: Array[Int], keys: Array[Long], n: Int, groupsUntil: Int): Unit =
    summaries.insertAll(groups, keys, n, groupsUntil)
}

/** Values and their times. */
final class TimedColumn(summaries: GroupedTimed) extends BatchColumn {
  private var times = new Array[Long](RowBatch.FewestRows)

  override def rowBytes: Long = 24L

  def put(row: Int, key: Long, time: Long): Unit = {
    times(size) = time
    put(row, key)
  }

  /** Where rows that come many at once bring their times, at the places of their values. */
  def timesOfRows: Array[Long] = times

  protected def insert(groups: Array[Int], keys: Array[Long], n: Int, groupsUntil: Int): Unit =
    summaries.insertAll(groups, keys, times, n, groupsUntil)

  override def grow(to: Int): Unit = {
    super.grow(to)
    times = new Array[Long](to)
  }
}
