package chronosketch.grouped

import chronosketch.memory.Meter
import chronosketch.summary.{Recipe, Timed}
import chronosketch.window.Windowed

/** Inserts values with times into the summaries of up to millions of groups.
  *
  * Cost   [[insertAll]] sorts the rows by group, so that the memory of a group is accessed once for all of its rows
  * Merge  also by [[mergePart]] of [[sealPart]]: if there are few rows, the part contains the rows, which are inserted in order of
  *        arrival
  */
final class GroupedTimed(timedRecipe: Recipe[Timed], meter: Meter)
    extends GroupedRows[Timed](timedRecipe, meter) {

  // null until the first rows are inserted
  private var sorting: GroupSort = null

  // null until the first part with rows is merged
  private var rowsPart: RowsPart = null

  /** Inserts the first n rows into their groups, which are below `groupsUntil`. None of the rows passed a filter. */
  def insertAll(groups: Array[Int], keys: Array[Long], times: Array[Long], n: Int, groupsUntil: Int): Unit =
    if (groupsUntil <= Staging.Groups) {
      if (sorting == null) sorting = new GroupSort(meter)
      sorting.sort(groups, keys, times, n, groupsUntil)
      insertRuns(groupsUntil)
    } else {
      var i = 0
      while (i < n) { summaryOf(groups(i)).insert(keys(i), times(i), 0); i += 1 }
    }

  private def insertRuns(groupsUntil: Int): Unit = {
    val keys = sorting.run
    val times = sorting.carriedRun
    var from = 0
    var group = 0
    while (group < groupsUntil) {
      val until = sorting.runEnd(group)
      if (from < until) summaryOf(group).insertAll(keys, times, from, until)
      from = until
      group += 1
    }
  }

  override def sealPart(group: Int): Array[Byte] = {
    val rows = ask(group) match {
      case windowed: Windowed => windowed.rowsOfPart
      case _ => null
    }
    if (rows == null) seal(group) else RowsPart.encode(rows.size, rows.times, rows.keys)
  }

  override def mergePart(group: Int, bytes: Array[Byte]): Unit =
    if (RowsPart.isRowsPart(bytes)) {
      if (rowsPart == null) rowsPart = new RowsPart(2, meter)
      val n = rowsPart.read(bytes)
      summaryOf(group).insertAll(rowsPart.columns(1), rowsPart.columns(0), 0, n)
    } else merge(group, bytes)

  override def clear(): Unit = {
    if (sorting != null) sorting.release()
    sorting = null
    if (rowsPart != null) rowsPart.release()
    rowsPart = null
    super.clear()
  }
}
