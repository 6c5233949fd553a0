package chronosketch.spark.rows

import java.util.Arrays

import org.apache.spark.sql.catalyst.util.UnsafeRowUtils
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.memory.Meter

/** Numbers the keys of one column, and NULL, 0, 1, 2, … in the order in which they first appear. Each key is given as 64 bits; for a text
  * these are its number.
  */
sealed abstract class KeyNumbers {
  def size: Int

  /** Returns the number of a key; a new key gets a new number. */
  def find(key: Long): Int

  /** Writes the numbers of the first n keys into `numbers`. */
  def findAll(keys: Array[Long], n: Int, numbers: Array[Int]): Unit
  def findNull(): Int
  def isNull(number: Int): Boolean

  /** Removes all keys and frees their memory. */
  def clear(): Unit
}

/** A hash table that numbers keys of 64 bits, and NULL, 0, 1, 2, … in the order in which they first appear.
  *
  * Guarantee  equal keys get the same number until the table is cleared
  * Cost       one cache line per look-up, two if keys collide; if many keys close to each other are looked up at once, one load
  *            each: [[NearKeys]]
  * Memory     at most 64 bytes per key
  *
  * Open addressing with linear probing. An entry of the table is the key, followed by its number plus one.
  */
final class LongKeys(meter: Meter) extends KeyNumbers {
  private var table: Array[Long] = LongKeys.newTable(LongKeys.FewestEntries)
  private var shift = LongKeys.shiftOf(LongKeys.FewestEntries)
  private var keys = new Array[Long](LongKeys.FewestEntries / 2)
  private var count = 0
  private var nullGroup = -1
  private val near = new NearKeys(meter)
  meter.add(sizeBytes)

  def size: Int = count

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

/** Numbers texts when they are read, by [[number]]. [[find]] and [[findAll]] receive these numbers and return them unchanged.
  *
  * Guarantee  texts with equal bytes get the same number until the table is cleared
  * Cost       three cache lines for the number of a text
  * Memory     that of [[ByteKeys]]
  */
final class TextKeys(val meter: Meter) extends KeyNumbers {
  private val bytes = new ByteKeys(meter)
  private var nullNumber = -1
  private var clears = 0

  def size: Int = bytes.size

  /** How often the texts have been removed. Numbers from before are not valid. */
  def generation: Int = clears

  /** Returns the number of a text. A new text gets a new number, and its bytes are copied. */
  def number(text: UTF8String): Int = bytes.find(text.getBaseObject, text.getBaseOffset, text.numBytes)

  /** The text of a number that is not that of NULL. */
  def text(number: Int): UTF8String =
    UTF8String.fromAddress(bytes.chunk(number), bytes.offset(number), bytes.length(number))

  def find(key: Long): Int = key.toInt

  def findAll(keys: Array[Long], n: Int, numbers: Array[Int]): Unit = {
    var i = 0
    while (i < n) { numbers(i) = keys(i).toInt; i += 1 }
  }

  def findNull(): Int = {
    if (nullNumber < 0) nullNumber = bytes.numberForNull()
    nullNumber
  }

  def isNull(number: Int): Boolean = number == nullNumber

  def clear(): Unit = {
    bytes.clear()
    nullNumber = -1
    clears += 1
  }
}

object TextKeys {

  /** Whether the values of a type are texts, and equal only if their bytes are. */
  def fit(dataType: DataType): Boolean =
    dataType.isInstanceOf[StringType] && UnsafeRowUtils.isBinaryStable(dataType)
}
