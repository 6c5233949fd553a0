package chronosketch.grouped

import chronosketch.memory.Meter

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

  /** Sorts all keys with `sort` and empties the buffer. Returns the greatest group of a key. */
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

  /** Takes the memory off the meter. The object must not be used afterwards. */
  def release(): Unit = meter.add(-sizeBytes)
}

private[chronosketch] object Staging {
  final val FewestKeys = 1 << 8
  final val MostKeys = 1 << 14

  /** Groups from this number on are not staged. */
  final val Groups = 1 << 14
}
