package chronosketch.spark.rows

import java.util.Arrays

import chronosketch.memory.Meter

/** A hash table that numbers keys of 64 bits, and NULL, 0, 1, 2, … in the order in which they first appear.
  *
  * Guarantee  equal keys get the same number until the table is cleared
  * Cost       one cache line per look-up, two if keys collide; if many keys close to each other are looked up at once, one load
  *            each: [[NearKeys]]
  * Memory     at most 64 bytes per key
  *
  * Open addressing with linear probing. An entry of the table is the key, followed by its number plus one.
  */
final class LongKeys(meter: Meter) {
  private var table: Array[Long] = LongKeys.newTable(LongKeys.FewestEntries)
  private var shift = LongKeys.shiftOf(LongKeys.FewestEntries)
  private var keys = new Array[Long](LongKeys.FewestEntries / 2)
  private var count = 0
  private var nullGroup = -1
  private val near = new NearKeys(meter)
  meter.add(sizeBytes)

  def size: Int = count

  /** Returns the number of a key; a new key gets a new number. */
  def find(key: Long): Int = {
    val t = table
    val mask = t.length - 1
    var at = LongKeys.place(key, shift)
    while (t(at + 1) != 0L) {
      if (t(at) == key) return t(at + 1).toInt - 1
      at = (at + 2) & mask
    }
    insert(key)
  }

  /** Writes the numbers of the first n keys into `groups`. */
  def findAll(wanted: Array[Long], n: Int, groups: Array[Int]): Unit = if (n > 0) {
    var least = wanted(0)
    var greatest = least
    var i = 1
    while (i < n) {
      least = math.min(least, wanted(i))
      greatest = math.max(greatest, wanted(i))
      i += 1
    }
    if (near.reaches(least, greatest)) findNear(wanted, n, groups) else findFar(wanted, n, groups)
  }

  private def findNear(wanted: Array[Long], n: Int, groups: Array[Int]): Unit = {
    val found = near
    var i = 0
    while (i < n) {
      var group = found.find(wanted(i))
      if (group < 0) {
        group = find(wanted(i))
        found.enter(wanted(i), group)
      }
      groups(i) = group
      i += 1
    }
  }

  // never read; it keeps the JIT from removing the loads that touch entries
  private var touched = 0L

  /** Touches all entries before looking any up: independent loads overlap in the memory system. */
  private def findFar(wanted: Array[Long], n: Int, groups: Array[Int]): Unit = {
    var from = 0
    while (from < n) {
      val until = math.min(n, from + LongKeys.Touched)
      val t = table
      var sum = 0L
      var i = from
      while (i < until) { sum += t(LongKeys.place(wanted(i), shift)); i += 1 }
      touched += sum
      while (from < until) { groups(from) = find(wanted(from)); from += 1 }
    }
  }

  def findNull(): Int = {
    if (nullGroup < 0) nullGroup = append(0L)
    nullGroup
  }

  def isNull(group: Int): Boolean = group == nullGroup
  def key(group: Int): Long = keys(group)

  /** Removes all keys and frees their memory. */
  def clear(): Unit = {
    meter.add(-sizeBytes)
    if (table.length == 2 * LongKeys.FewestEntries) Arrays.fill(table, 0L)
    else {
      table = LongKeys.newTable(LongKeys.FewestEntries)
      keys = new Array[Long](LongKeys.FewestEntries / 2)
    }
    shift = LongKeys.shiftOf(LongKeys.FewestEntries)
    count = 0
    nullGroup = -1
    near.clear()
    meter.add(sizeBytes)
  }

  private def sizeBytes: Long = 8L * (table.length + keys.length)

  private def append(key: Long): Int = {
    if (count == keys.length) {
      keys = Arrays.copyOf(keys, 2 * count)
      meter.add(8L * count)
    }
    keys(count) = key
    count += 1
    count - 1
  }

  private def insert(key: Long): Int = {
    // the table is at most half full, so that a search meets a free entry soon
    if (4 * (count + 1) > table.length) grow()
    val group = append(key)
    enter(key, group)
    group
  }

  private def enter(key: Long, group: Int): Unit = {
    val mask = table.length - 1
    var at = LongKeys.place(key, shift)
    while (table(at + 1) != 0L) at = (at + 2) & mask
    table(at) = key
    table(at + 1) = group + 1L
  }

  private def grow(): Unit = {
    meter.add(8L * table.length)
    table = LongKeys.newTable(table.length)
    shift -= 1
    var group = 0
    while (group < count) {
      if (group != nullGroup) enter(keys(group), group)
      group += 1
    }
  }
}

private object LongKeys {
  val FewestEntries = 256

  /** The number of entries touched before the first is looked up. */
  val Touched = 256

  def newTable(entries: Int): Array[Long] = new Array[Long](2 * entries)

  def shiftOf(entries: Int): Int = 64 - Integer.numberOfTrailingZeros(entries)

  /** The index where a key's entry begins unless it collides. The multiplication spreads neighbouring keys over the table. */
  def place(key: Long, shift: Int): Int = ((key * 0x9e3779b97f4a7c15L) >>> shift).toInt << 1
}
