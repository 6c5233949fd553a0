package chronosketch.grouped

import java.util.Arrays

import chronosketch.memory.Meter

/** Which keys did each of a million groups bring, in order of arrival, while it has few?
  *
  * Guarantee  a bag gives back its keys as they came; it takes no more than its limit
  * Cost       add: two cache misses, no object; up to 64 keys a group in segments that grow: 28 slots for 20 keys
  * Units      groups are numbered from 0 without gaps
  * Merge      none
  *
  * A group's state is one number: from the right
  * {{{ room in the last segment 6 | keys 7 | settled keys 7 | touched 1 | address of the next slot 42 | closed 1 }}}
  * so that a key taken is one addition to it. Of a closed group the address is what it was closed with.
  */
private[chronosketch] final class KeyBags(meter: Meter) {
  import KeyBags._

  private var states: Array[Long] = Array.emptyLongArray
  private val arena = new LongArena(Sizes, meter)

  /** What a bag takes at most. */
  private var limit = MostKeys
  def limitTo(most: Int): Unit = limit = math.min(MostKeys, most)

  // what has been touched: never read, but the JIT does not know
  private var touched = 0L

  /** Brings what the next keys of groups need into the caches: of loads that do not wait for one another the processor does
    * several at once, where a row by itself would wait for each.
    */
  def touchAll(groups: Array[Int], from: Int, until: Int): Unit = {
    var sum = 0L
    var i = from
    while (i < until) { sum += state(groups(i)); i += 1 }
    i = from
    while (i < until) {
      val s = state(groups(i))
      if (s >= 0 && (s & RoomMask) != 0) sum += arena(s >>> AddressShift)
      i += 1
    }
    touched += sum
  }

  /** False where the bag is full or closed. */
  def add(group: Int, key: Long): Boolean =
    if (group < states.length && (states(group) & RoomMask) != 0) {
      val state = states(group)
      arena(state >>> AddressShift) = key
      states(group) = state + Taken
      true
    } else addSlowly(group, key)

  /** Adds keys as long as there is room, a segment at a time; where the first stands that was not taken. */
  def addAll(group: Int, keys: Array[Long], from: Int, until: Int): Int = {
    var i = from
    var hasRoom = true
    while (i < until && hasRoom) {
      val state = this.state(group)
      // of a closed group no bit says room
      val n = math.min((state & RoomMask).toInt, until - i)
      if (n > 0) {
        arena.put(state >>> AddressShift, keys, i, n)
        states(group) = state + n * Taken
        i += n
      } else {
        hasRoom = addSlowly(group, keys(i))
        if (hasRoom) i += 1
      }
    }
    i
  }

  private def addSlowly(group: Int, key: Long): Boolean = {
    val state = stateForWriting(group)
    val n = keysOf(state)
    state >= 0 && n < limit && {
      val segment = lastSegment(n) + 1
      var address = arena.take(segment)
      if (segment > 0) {
        // where the keys of the segment before begin
        arena(address) = (state >>> AddressShift) - (n - From(segment - 1))
        address += 1
      }
      val room = math.min(From(segment + 1), limit) - n
      states(group) = (address << AddressShift) | (state & ~AddressMask & ~RoomMask) | Touched | room.toLong
      add(group, key)
    }
  }

  private def stateForWriting(group: Int): Long = {
    if (group >= states.length) grow(group)
    states(group)
  }

  private def grow(group: Int): Unit = {
    val before = states.length
    val wanted = math.max(group + 1L, math.max(64L, before + (before >> 1).toLong))
    states = Arrays.copyOf(states, math.min(wanted, KeyBags.MostGroups).toInt)
    meter.add(Meter.longs(states.length) - Meter.longs(before))
  }

  private def state(group: Int): Long = if (group < states.length) states(group) else 0L

  def isTouched(group: Int): Boolean = (state(group) & (Touched | Long.MinValue)) != 0
  def touch(group: Int): Unit = {
    val state = stateForWriting(group)
    states(group) = state | Touched
  }

  def size(group: Int): Int = keysOf(state(group))
  def hasRoom(group: Int, keys: Int): Boolean = size(group) + keys <= limit

  /** How many of the first keys had been asked about or stored before the others came. */
  def settled(group: Int): Int = ((state(group) >>> SettledShift) & CountMask).toInt
  def settle(group: Int): Unit = if (size(group) > 0)
    states(group) = (states(group) & ~(CountMask << SettledShift)) | (size(group).toLong << SettledShift)

  /** The keys in order of arrival; their number. */
  def copyTo(group: Int, into: Array[Long]): Int = {
    val s = state(group)
    val n = keysOf(s)
    var segment = lastSegment(n)
    var until = n
    // backwards: each segment knows the one before
    var address = if (segment < 0) 0L else (s >>> AddressShift) - (n - From(segment))
    while (segment >= 0) {
      arena.copy(address, into, From(segment), until - From(segment))
      until = From(segment)
      if (segment > 0) address = arena(address - 1)
      segment -= 1
    }
    n
  }

  /** The number that a group was closed with; negative where it is open. */
  def handle(group: Int): Int = {
    val s = state(group)
    if (s < 0) ((s & Long.MaxValue) >>> AddressShift).toInt else -1
  }

  /** Takes no more keys for the group, whose segments go to others, and keeps a number for it instead. */
  def close(group: Int, handle: Int): Unit = {
    val s = stateForWriting(group)
    val n = keysOf(s)
    var segment = lastSegment(n)
    var address = if (segment < 0) 0L else (s >>> AddressShift) - (n - From(segment))
    while (segment >= 0) {
      val before = if (segment > 0) arena(address - 1) else 0L
      arena.giveBack(if (segment > 0) address - 1 else address, segment)
      address = before
      segment -= 1
    }
    states(group) = Long.MinValue | (handle.toLong << AddressShift)
  }

  def clear(): Unit = {
    arena.clear()
    meter.add(-Meter.longs(states.length))
    states = Array.emptyLongArray
  }
}

private[chronosketch] object KeyBags {

  /** Each has a number in one Java array. */
  private val MostGroups = Int.MaxValue - 16L
  final val MostKeys = 64

  private final val RoomMask = 0x3fL
  private final val CountMask = 0x7fL
  private final val CountShift = 6
  private final val SettledShift = 13
  private final val Touched = 1L << 20
  private final val AddressShift = 21
  private final val AddressMask = -1L << AddressShift

  /** What a key changes: the next slot and the count go up, the room goes down. */
  private final val Taken = (1L << AddressShift) + (1L << CountShift) - 1

  /** Slots of a group's segments: a link to the one before, but in the first, and keys. */
  private val Sizes = Array(4, 8, 16, 16, 24)

  /** Which key is the first of each segment. */
  private val From = Array(0, 4, 11, 26, 41, MostKeys)

  private def keysOf(state: Long): Int = if (state < 0) 0 else ((state >>> CountShift) & CountMask).toInt

  /** The segment that the n-th key is in; −1 where there is none. */
  private def lastSegment(n: Int): Int = {
    var segment = -1
    while (From(segment + 1) < n) segment += 1
    segment
  }
}
