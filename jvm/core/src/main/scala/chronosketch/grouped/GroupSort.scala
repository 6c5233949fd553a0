package chronosketch.grouped

import java.util.Arrays

import chronosketch.memory.Meter

/** Which of these keys are one group's?
  *
  * Guarantee  a group's keys stay in order of arrival
  * Cost       a counting sort: a pass over the groups there may be, and three over the keys
  * Units      groups are numbered from 0
  * Merge      none
  */
private[chronosketch] final class GroupSort(meter: Meter) {
  private var sorted, carriedSorted = Array.emptyLongArray
  private var ends = new Array[Int](64)
  meter.add(sizeBytes)

  private def sizeBytes: Long =
    Meter.longs(sorted.length) + Meter.longs(carriedSorted.length) + 4L * ends.length

  /** The first n keys, by group; the groups are those until `until`. */
  def sort(groups: Array[Int], keys: Array[Long], n: Int, until: Int): Unit = {
    reserve(n, until)
    findStarts(groups, n, until)
    val end = ends
    val to = sorted
    var i = 0
    while (i < n) {
      val g = groups(i)
      to(end(g)) = keys(i)
      end(g) += 1
      i += 1
    }
  }

  /** The same of keys that each carry a number. */
  def sort(groups: Array[Int], keys: Array[Long], carried: Array[Long], n: Int, until: Int): Unit = {
    reserve(n, until)
    reserveCarried()
    findStarts(groups, n, until)
    val end = ends
    val to = sorted
    val toCarried = carriedSorted
    var i = 0
    while (i < n) {
      val g = groups(i)
      val at = end(g)
      end(g) = at + 1
      to(at) = keys(i)
      toCarried(at) = carried(i)
      i += 1
    }
  }

  /** Where each group's keys will start. */
  private def findStarts(groups: Array[Int], n: Int, until: Int): Unit = {
    val end = ends
    Arrays.fill(end, 0, until, 0)
    var i = 0
    while (i < n) { end(groups(i)) += 1; i += 1 }
    var at = 0
    var group = 0
    while (group < until) {
      val size = end(group)
      end(group) = at
      at += size
      group += 1
    }
  }

  /** All keys, those of one group together; a group's end where the next one's begin. */
  def run: Array[Long] = sorted

  /** What the keys of [[run]] carry, at the same places. */
  def carriedRun: Array[Long] = carriedSorted
  def runEnd(group: Int): Int = ends(group)

  private def reserve(n: Int, groups: Int): Unit = if (sorted.length < n || ends.length < groups) {
    meter.add(-sizeBytes)
    if (sorted.length < n) sorted = new Array[Long](n)
    if (ends.length < groups) ends = new Array[Int](math.max(groups, ends.length * 2))
    meter.add(sizeBytes)
  }

  private def reserveCarried(): Unit = if (carriedSorted.length < sorted.length) {
    meter.add(-sizeBytes)
    carriedSorted = new Array[Long](sorted.length)
    meter.add(sizeBytes)
  }

  /** It is not used again. */
  def giveBack(): Unit = meter.add(-sizeBytes)
}
