package chronosketch.summary

import java.util.Arrays

/** Which keys came lately, group by group?
  *
  * Guarantee  a group's keys stay in order of arrival
  * Cost       a row: two stores, and its share of a counting sort over up to 16 384 of them. In return what a group is kept in,
  *            for a thousand groups more than the caches and the table of pages hold, is touched once for all its keys
  * Units      groups are numbered from 0; only the first 16 384 are staged: of more, hardly two keys would meet
  * Merge      none
  */
private[summary] final class Staging(meter: Meter) {
  private var groups = new Array[Int](Staging.FewestRows)
  private var keys, sorted = new Array[Long](Staging.FewestRows)
  private var ends = new Array[Int](64)
  private var count = 0
  meter.add(sizeBytes)

  private def sizeBytes: Long =
    Meter.longs(groups.length) / 2 + 2 * Meter.longs(keys.length) + 4L * ends.length

  def isEmpty: Boolean = count == 0

  /** Takes a key; true where it was the last that there is room for. */
  def isFullWith(group: Int, key: Long): Boolean = {
    groups(count) = group
    keys(count) = key
    count += 1
    count == groups.length
  }

  /** Sorts by group, so that [[run]] and [[runEnd]] know them; the greatest group there is. It is empty then. */
  def sort(): Int = {
    var greatest = 0
    var i = 0
    while (i < count) { greatest = math.max(greatest, groups(i)); i += 1 }
    reserve(greatest)
    val end = ends
    Arrays.fill(end, 0, greatest + 1, 0)
    i = 0
    while (i < count) { end(groups(i)) += 1; i += 1 }
    var at = 0
    var group = 0
    while (group <= greatest) {
      val size = end(group)
      end(group) = at
      at += size
      group += 1
    }
    i = 0
    while (i < count) {
      val g = groups(i)
      sorted(end(g)) = keys(i)
      end(g) += 1
      i += 1
    }
    if (count == groups.length && count < Staging.MostRows) grow()
    count = 0
    greatest
  }

  /** All keys, those of one group together; a group's end where the next one's begin. Until the next key. */
  def run: Array[Long] = sorted
  def runEnd(group: Int): Int = ends(group)

  private def reserve(greatest: Int): Unit = if (ends.length <= greatest) {
    meter.add(-sizeBytes)
    ends = new Array[Int](math.max(greatest + 1, ends.length * 2))
    meter.add(sizeBytes)
  }

  private def grow(): Unit = {
    meter.add(-sizeBytes)
    groups = new Array[Int](4 * count)
    keys = new Array[Long](4 * count)
    sorted = Arrays.copyOf(sorted, 4 * count)
    meter.add(sizeBytes)
  }

  /** It is not used again. */
  def giveBack(): Unit = meter.add(-sizeBytes)
}

private[summary] object Staging {
  final val FewestRows = 1 << 8
  final val MostRows = 1 << 14

  /** Groups from this number on are not staged. */
  final val Groups = 1 << 14
}
