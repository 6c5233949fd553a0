package chronosketch.grouped

import java.util.Arrays

import chronosketch.memory.Meter

/** Keeps the encoded parts of each of up to millions of groups until they are merged.
  *
  * Guarantee  [[take]] returns the parts of a group in an order that depends on their bytes alone
  * Cost       the bytes of the parts, 28 bytes more for each, and 4 for each group
  * Units      groups are numbered from 0 without gaps
  */
private[grouped] final class KeptParts(meter: Meter) {

  // for each group the position of its last part, and for each part that of the one before it, plus 1; 0 if there is none
  private var last, earlier = Array.emptyIntArray
  private var parts = new Array[Array[Byte]](0)
  private var used = 0

  // the first of the positions that are free again, plus 1; [[earlier]] links them
  private var free = 0

  private var size = 0
  private var held = 0L

  def isEmpty: Boolean = size == 0

  /** The memory of the parts. */
  def bytes: Long = held

  def has(group: Int): Boolean = group < last.length && last(group) != 0

  def add(group: Int, bytes: Array[Byte]): Unit = {
    if (group >= last.length) growGroups(group)
    val position = nextPosition()
    parts(position) = bytes
    earlier(position) = last(group)
    last(group) = position + 1
    size += 1
    count(KeptParts.sizeBytes(bytes))
  }

  private def nextPosition(): Int =
    if (free != 0) {
      val position = free - 1
      free = earlier(position)
      position
    } else {
      if (used == parts.length) growParts()
      used += 1
      used - 1
    }

  private def count(more: Long): Unit = {
    held += more
    meter.add(more)
  }

  private def growGroups(group: Int): Unit = {
    val room = last.length
    val wanted = math.max(group + 1L, math.max(64L, room + (room >> 1).toLong))
    last = Arrays.copyOf(last, math.min(wanted, KeptParts.MostEntries).toInt)
    meter.add(Meter.ints(last.length) - Meter.ints(room))
  }

  private def growParts(): Unit = {
    val before = parts.length
    val room = math.min(math.max(64L, before + (before >> 1).toLong), KeptParts.MostEntries).toInt
    parts = Arrays.copyOf(parts, room)
    earlier = Arrays.copyOf(earlier, room)
    meter.add(Meter.references(room) + Meter.ints(room) - Meter.references(before) - Meter.ints(before))
  }

  /** Removes the parts of a group and returns them, sorted. */
  def take(group: Int): Array[Array[Byte]] = {
    var n = 0
    var i = last(group)
    while (i != 0) { n += 1; i = earlier(i - 1) }
    val taken = new Array[Array[Byte]](n)
    i = last(group)
    while (i != 0) {
      n -= 1
      taken(n) = parts(i - 1)
      parts(i - 1) = null
      count(-KeptParts.sizeBytes(taken(n)))
      val next = earlier(i - 1)
      earlier(i - 1) = free
      free = i
      i = next
    }
    last(group) = 0
    size -= taken.length
    PartList.sort(taken)
    taken
  }

  /** Removes all parts and takes their memory off the meter. */
  def clear(): Unit = {
    count(-held)
    meter.add(-Meter.ints(last.length) - Meter.ints(earlier.length) - Meter.references(parts.length))
    last = Array.emptyIntArray
    earlier = Array.emptyIntArray
    parts = new Array[Array[Byte]](0)
    used = 0
    free = 0
    size = 0
  }
}

private object KeptParts {
  private val MostEntries = Int.MaxValue - 16L

  private def sizeBytes(bytes: Array[Byte]): Long = 16L + bytes.length
}
