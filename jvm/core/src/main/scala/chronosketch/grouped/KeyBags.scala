package chronosketch.grouped

import java.util.Arrays

import chronosketch.memory.Meter

/** Stores the few keys of each of up to millions of groups, in order of arrival.
  *
  * Guarantee  a bag returns its keys in order of arrival and holds no more than its limit
  * Cost       [[add]]: two cache misses, no object. The keys of a group, up to 64, are in segments of growing size: 20 keys take
  *            28 slots
  * Units      groups are numbered from 0 without gaps
  *
  * A group's state is one number, with these fields and their bits, from the right:
  * {{{ room in the last segment 6 | keys 7 | queried keys 7 | touched 1 | address of the next slot 42 | closed 1 }}}
  * So adding a key is one addition to the state. In the state of a closed group the handle takes the place of the address.
  */
private[chronosketch] final class KeyBags(meter: Meter) {
  import KeyBags._

  private var states: Array[Long] = Array.emptyLongArray
  private val arena = new LongArena(SegmentSlots, meter)

  /** The most keys of a bag. */
  private var limit = MostKeys
  def limitTo(most: Int): Unit = limit = math.min(MostKeys, most)

  // never read, but makes sure that the JIT does not remove the loads of [[prefetch]]
  private var prefetched = 0L

  /** Loads the memory that the next keys of these groups need into the caches. Independent loads overlap in the memory system; adding
    * the keys row by row would wait for each load.
    */
  def prefetch(groups: Array[Int], from: Int, until: Int): Unit = {
    var sum = 0L
    var i = from
    while (i < until) { sum += state(groups(i)); i += 1 }
    i = from
    while (i < until) {
      val s = state(groups(i))
      if (s >= 0 && (s & RoomMask) != 0) sum += arena(s >>> AddressShift)
      i += 1
    }
    prefetched += sum
  }

  /** Adds a key. Returns false if the bag is full or closed. */
  def add(group: Int, key: Long): Boolean =
    if (group < states.length && (states(group) & RoomMask) != 0) {
      val state = states(group)
      arena(state >>> AddressShift) = key
      states(group) = state + OneKey
      true
    } else addToNewSegment(group, key)

  /** Adds keys while there is room, a segment at a time. Returns the position of the first key that was not added. */
  def addAll(group: Int, keys: Array[Long], from: Int, until: Int): Int = {
    var i = from
    var hasRoom = true
    while (i < until && hasRoom) {
      val state = this.state(group)
      // a closed group has no room bits
      val n = math.min((state & RoomMask).toInt, until - i)
      if (n > 0) {
        arena.put(state >>> AddressShift, keys, i, n)
        states(group) = state + n * OneKey
        i += n
      } else {
        hasRoom = addToNewSegment(group, keys(i))
        if (hasRoom) i += 1
      }
    }
    i
  }

  private def addToNewSegment(group: Int, key: Long): Boolean = {
    val state = stateForWriting(group)
    val n = keysOf(state)
    state >= 0 && n < limit && {
      val segment = lastSegment(n) + 1
      var address = arena.take(segment)
      if (segment > 0) {
        // link to the first key of the previous segment
        arena(address) = (state >>> AddressShift) - (n - FirstKey(segment - 1))
        address += 1
      }
      val room = math.min(FirstKey(segment + 1), limit) - n
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

  /** The number of keys that the bag had when it was last queried or stored. */
  def queriedCount(group: Int): Int = ((state(group) >>> QueriedShift) & CountMask).toInt

  /** Records that the bag was queried or stored with its current keys. */
  def markQueried(group: Int): Unit = if (size(group) > 0)
    states(group) = (states(group) & ~(CountMask << QueriedShift)) | (size(group).toLong << QueriedShift)

  /** Copies the keys in order of arrival and returns their number. */
  def copyTo(group: Int, into: Array[Long]): Int = {
    val s = state(group)
    val n = keysOf(s)
    var segment = lastSegment(n)
    var until = n
    // backwards: each segment has a link to the previous one
    var address = if (segment < 0) 0L else (s >>> AddressShift) - (n - FirstKey(segment))
    while (segment >= 0) {
      arena.copy(address, into, FirstKey(segment), until - FirstKey(segment))
      until = FirstKey(segment)
      if (segment > 0) address = arena(address - 1)
      segment -= 1
    }
    n
  }

  /** The handle that the group was closed with; negative if it is open. */
  def handle(group: Int): Int = {
    val s = state(group)
    if (s < 0) ((s & Long.MaxValue) >>> AddressShift).toInt else -1
  }

  /** Closes the group: frees its segments, accepts no more keys, and stores a handle instead of them. */
  def close(group: Int, handle: Int): Unit = {
    val s = stateForWriting(group)
    val n = keysOf(s)
    var segment = lastSegment(n)
    var address = if (segment < 0) 0L else (s >>> AddressShift) - (n - FirstKey(segment))
    while (segment >= 0) {
      val before = if (segment > 0) arena(address - 1) else 0L
      arena.free(if (segment > 0) address - 1 else address, segment)
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

  /** The states of all groups are in one Java array. */
  private val MostGroups = Int.MaxValue - 16L
  final val MostKeys = 64

  private final val RoomMask = 0x3fL
  private final val CountMask = 0x7fL
  private final val CountShift = 6
  private final val QueriedShift = 13
  private final val Touched = 1L << 20
  private final val AddressShift = 21
  private final val AddressMask = -1L << AddressShift

  /** The change of the state when a key is added: the next slot and the count go up by one, the room goes down by one. */
  private final val OneKey = (1L << AddressShift) + (1L << CountShift) - 1

  /** The slots of a group's segments. Each segment but the first has a link to the previous one before its keys. */
  private val SegmentSlots = Array(4, 8, 16, 16, 24)

  /** The number of the first key in each segment, and of the first one beyond all. */
  private val FirstKey = Array(0, 4, 11, 26, 41, MostKeys)

  private def keysOf(state: Long): Int = if (state < 0) 0 else ((state >>> CountShift) & CountMask).toInt

  /** The segment of the n-th key; −1 if n is 0. */
  private def lastSegment(n: Int): Int = {
    var segment = -1
    while (FirstKey(segment + 1) < n) segment += 1
    segment
  }
}
