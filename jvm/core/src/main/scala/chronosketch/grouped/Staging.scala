package chronosketch.grouped

import chronosketch.memory.Meter

/** Which keys came lately?
  *
  * Cost   a key: two stores, and its share of a [[GroupSort]]. In return what a group is kept in, for a thousand groups more
  *        than the caches and the table of pages hold, is touched once for all its keys
  * Units  groups are numbered from 0; only the first 16 384 are staged: of more, hardly two keys would meet
  * Merge  none
  */
private[chronosketch] final class Staging(meter: Meter) {
  private var groups = new Array[Int](Staging.FewestKeys)
  private var keys = new Array[Long](Staging.FewestKeys)
  private var count = 0
  private var greatest = 0
  meter.add(sizeBytes)

  private def sizeBytes: Long = 12L * keys.length

  def isEmpty: Boolean = count == 0

  /** Takes a key; true where it was the last that there is room for. */
  def isFullWith(group: Int, key: Long): Boolean = {
    groups(count) = group
    keys(count) = key
    count += 1
    greatest = math.max(greatest, group)
    count == groups.length
  }

  /** Hands all keys to `sort`; the greatest group among them. It is empty then. */
  def sortInto(sort: GroupSort): Int = {
    sort.sort(groups, keys, count, greatest + 1)
    if (count == groups.length && count < Staging.MostKeys) grow()
    val last = greatest
    count = 0
    greatest = 0
    last
  }

  private def grow(): Unit = {
    meter.add(-sizeBytes)
    groups = new Array[Int](4 * count)
    keys = new Array[Long](4 * count)
    meter.add(sizeBytes)
  }

  /** It is not used again. */
  def giveBack(): Unit = meter.add(-sizeBytes)
}

private[chronosketch] object Staging {
  final val FewestKeys = 1 << 8
  final val MostKeys = 1 << 14

  /** Groups from this number on are not staged. */
  final val Groups = 1 << 14
}
