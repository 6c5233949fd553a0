package chronosketch.grouped

import java.util.Arrays

import chronosketch.codec.{Packed, Wire}
import chronosketch.memory.Meter

/** What hands a part of a query on, where its values are hardly more than a sketch of them?
  *
  * Guarantee  the values as they came, in order of arrival
  * Cost       a nanosecond or two a value, and up to 8 bytes. To build a sketch of a few thousand, to encode it and to unite it costs
  *            ten times that, and all of it is done once for all parts instead
  * Merge      by inserting them
  *
  * It goes from task to task of one query and is never stored: no sketch begins with its mark, and no function takes it.
  */
private[grouped] final class KeysPart(meter: Meter) {
  var keys: Array[Long] = Array.emptyLongArray

  /** Reads them into [[keys]]; how many. */
  def read(bytes: Array[Byte]): Int = {
    val r = new Wire.Reader(bytes, 1, bytes.length)
    // Packed takes no byte a number where all are equal, so no size explains them
    val n = Math.toIntExact(r.varint())
    if (keys.length < n) {
      meter.add(Meter.longs(n) - Meter.longs(keys.length))
      keys = new Array[Long](n)
    }
    Packed.read(r, keys, n)
    r.requireEnd()
    n
  }

  /** It is not used again. */
  def giveBack(): Unit = meter.add(-Meter.longs(keys.length))
}

private[grouped] object KeysPart {
  private val Mark = 0

  /** So many are looked at, and so many of these may have come before. */
  private val Looks = 64
  private val Twins = 4

  /** Of the first n keys, of which there is one at least. */
  def of(keys: Array[Long], n: Int): Array[Byte] = {
    val w = new Wire.Writer(8 * n + 64)
    w.byte(Mark)
    w.varint(n.toLong)
    Packed.write(w, keys, n)
    w.result()
  }

  /** Whether these bytes of a part are values, and not a sketch. */
  def isOne(bytes: Array[Byte]): Boolean = bytes(0) == Mark

  /** Whether the first n keys mostly differ, told by a few of them: many of few values are a small sketch. */
  def isVaried(keys: Array[Long], n: Int): Boolean = n <= Looks / 4 || {
    val looked = math.min(n, Looks)
    val some = Array.tabulate(looked)(i => keys((i.toLong * n / looked).toInt))
    Arrays.sort(some)
    var twins = 0
    var i = 1
    while (i < looked) {
      if (some(i) == some(i - 1)) twins += 1
      i += 1
    }
    twins <= Twins
  }
}
