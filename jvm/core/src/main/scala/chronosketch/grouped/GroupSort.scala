package chronosketch.grouped

import java.util.Arrays

import chronosketch.memory.Meter

/** Counting sort that groups keys by group number.
  *
  * Guarantee  the keys of a group stay in order of arrival
  * Cost       a pass over all group numbers and three over the keys
  * Units      groups are numbered from 0
  */
private[chronosketch] final class GroupSort(meter: Meter) {
  private var sorted, carriedSorted = Array.emptyLongArray
  private var ends = new Array[Int](64)
  meter.add(sizeBytes)

  private def sizeBytes: Long =
    Meter.longs(sorted.length) + Meter.longs(carriedSorted.length) + 4L * ends.length

  /** Sorts the first n keys by their groups, which are below `until`. */
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

  /** Sorts the first n keys and the numbers that they carry. */
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

  /** Computes where each group's keys start. The starts become the ends while the keys are placed. */
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

  /** The sorted keys. The keys of a group end at [[runEnd]], where those of the next group begin. */
  def run: Array[Long] = sorted

  /** The numbers that the keys of [[run]] carry, at the same positions. */
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

  /** Takes the memory off the meter. The object must not be used afterwards. */
  def release(): Unit = meter.add(-sizeBytes)
}

/** Buffers recent (group, key) pairs until they are sorted into groups.
  *
  * Cost   two stores per key and its share of a [[GroupSort]]. In return the memory of a group is accessed once for all its keys;
  *        for a thousand groups that memory exceeds the caches and the TLB
  * Units  groups are numbered from 0. Only the first 16 384 are staged: with more groups, hardly two keys of a buffer would belong
  *        to the same group
  */
private[chronosketch] final class Staging(meter: Meter) {
  private var groups = new Array[Int](Staging.FewestKeys)
  private var keys = new Array[Long](Staging.FewestKeys)
  private var count = 0
  private var greatest = 0
  meter.add(sizeBytes)

  private def sizeBytes: Long = 12L * keys.length

  def isEmpty: Boolean = count == 0

  /** Adds a key. Returns true if the buffer is now full. */
  def add(group: Int, key: Long): Boolean = {
    groups(count) = group
    keys(count) = key
    count += 1
    greatest = math.max(greatest, group)
    count == groups.length
  }

  /** Adds n keys of a group. Returns false and adds none if there is no room for them. */
  def addAll(group: Int, from: Array[Long], n: Int): Boolean = n <= groups.length - count && {
    var o = count
    var i = 0
    while (i < n) {
      groups(o) = group
      keys(o) = from(i)
      o += 1
      i += 1
    }
    count = o
    greatest = math.max(greatest, group)
    true
  }

  /** Sorts all keys with `sort` and empties the buffer. Returns the greatest group of a key. */
  def sortInto(sort: GroupSort): Int = {
    sort.sort(groups, keys, count, greatest + 1)
    if (2 * count > groups.length && groups.length < Staging.MostKeys) grow()
    val last = greatest
    count = 0
    greatest = 0
    last
  }

  private def grow(): Unit = {
    meter.add(-sizeBytes)
    val room = 4 * groups.length
    groups = new Array[Int](room)
    keys = new Array[Long](room)
    meter.add(sizeBytes)
  }

  /** Takes the memory off the meter. The object must not be used afterwards. */
  def release(): Unit = meter.add(-sizeBytes)
}

private[chronosketch] object Staging {
  final val FewestKeys = 1 << 8
  final val MostKeys = 1 << 14

  /** Groups from this number on are not staged. */
  final val Groups = 1 << 14
}
