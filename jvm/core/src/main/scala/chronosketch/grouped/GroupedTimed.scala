package chronosketch.grouped

import chronosketch.memory.Meter
import chronosketch.summary.{Recipe, Timed}
import chronosketch.window.Windowed

/** Which values did each of a million groups see, and when?
  *
  * Cost   of rows that come many at once, a sort by group: then what a group is kept in is touched once for all of its rows
  * Merge  [[mergePart]] of [[sealPart]] as well: of few rows that is them, inserted in order of arrival
  */
final class GroupedTimed(of: Recipe[Timed], meter: Meter) extends GroupedRows[Timed](of, meter) {

  // null until the first rows come
  private var sorting: GroupSort = null

  // null until the first part comes that is rows
  private var part: RowsPart = null

  /** The first n rows, none of which passed a filter, each into the group of its number, which is less than `groupsUntil`. */
  def insertAll(groups: Array[Int], keys: Array[Long], times: Array[Long], n: Int, groupsUntil: Int): Unit =
    if (groupsUntil <= Staging.Groups) {
      if (sorting == null) sorting = new GroupSort(meter)
      sorting.sort(groups, keys, times, n, groupsUntil)
      insertRuns(groupsUntil)
    } else {
      var i = 0
      while (i < n) { ownOf(groups(i)).insert(keys(i), times(i), 0); i += 1 }
    }

  private def insertRuns(groupsUntil: Int): Unit = {
    val keys = sorting.run
    val times = sorting.carriedRun
    var from = 0
    var group = 0
    while (group < groupsUntil) {
      val until = sorting.runEnd(group)
      if (from < until) ownOf(group).insertAll(keys, times, from, until)
      from = until
      group += 1
    }
  }

  override def sealPart(group: Int): Array[Byte] = {
    val rows = ask(group) match {
      case windowed: Windowed => windowed.rowsOfPart
      case _ => null
    }
    if (rows == null) seal(group) else RowsPart.of(rows.size, rows.times, rows.keys)
  }

  override def mergePart(group: Int, bytes: Array[Byte]): Unit =
    if (RowsPart.isOne(bytes)) {
      if (part == null) part = new RowsPart(2, meter)
      val n = part.read(bytes)
      ownOf(group).insertAll(part.columns(1), part.columns(0), 0, n)
    } else merge(group, bytes)

  override def clear(): Unit = {
    if (sorting != null) sorting.giveBack()
    sorting = null
    if (part != null) part.giveBack()
    part = null
    super.clear()
  }
}
