package chronosketch.grouped

import chronosketch.memory.Meter
import chronosketch.summary.{Recipe, Timed}

/** Which values did each of a million groups see, and when?
  *
  * Cost  of rows that come many at once, a sort by group: then what a group is kept in is touched once for all of its rows
  */
final class GroupedTimed(of: Recipe[Timed], meter: Meter) extends GroupedRows[Timed](of, meter) {

  // null until the first rows come
  private var sorting: GroupSort = null

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

  override def clear(): Unit = {
    if (sorting != null) sorting.giveBack()
    sorting = null
    super.clear()
  }
}
