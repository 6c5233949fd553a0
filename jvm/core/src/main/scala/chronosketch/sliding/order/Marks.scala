package chronosketch.sliding.order

import java.util.Arrays

import chronosketch.memory.Meter

/** A bit set over slots that finds the next and the previous word with a set bit.
  *
  * Cost    setting and clearing usually touch one word; finding the next or the previous non-empty word O(log₆₄ n)
  * Source  folklore: a trie of 64-bit words, with one bit for each non-empty word of the level below
  */
private[chronosketch] final class Marks {

  /** Slot s is bit s mod 64 of word s/64. Only `set` and `clear` write it. */
  var words = new Array[Long](1)

  // level k has one bit for each word of level k − 1; level −1 is `words`. The last level in use has one word
  private var above = Array.empty[Array[Long]]

  def sizeBytes: Long =
    Meter.ObjectBytes + Meter.longs(words.length) + above.map(row => Meter.longs(row.length)).sum

  /** Clears all marks and makes room for n slots. */
  def reset(n: Int): Unit = {
    var size = Marks.wordsFor(n)
    if (size > words.length) {
      words = new Array[Long](size + size / 4)
      val levels = Array.newBuilder[Array[Long]]
      var length = words.length
      while (length > 1) {
        length = Marks.wordsFor(length)
        levels += new Array[Long](length)
      }
      above = levels.result()
    } else {
      Arrays.fill(words, 0, size, 0L)
      var level = 0
      while (level < above.length) {
        size = Marks.wordsFor(size)
        Arrays.fill(above(level), 0, size, 0L)
        level += 1
      }
    }
  }

  def set(slot: Int): Unit = {
    val at = slot >>> 6
    val word = words(at)
    words(at) = word | 1L << slot
    if (word == 0) raise(at)
  }

  def clear(slot: Int): Unit = {
    val at = slot >>> 6
    val word = words(at) & ~(1L << slot)
    words(at) = word
    if (word == 0) lower(at)
  }

  def isSet(slot: Int): Boolean = (words(slot >>> 6) >>> slot & 1L) != 0

  /** Number of marked slots from `from` until `until`. */
  def count(from: Int, until: Int): Int = {
    var at = from >>> 6
    val last = until >>> 6
    val head = -1L << from
    val tail = (1L << until) - 1
    if (at == last) bits(at, head & tail)
    else {
      var sum = java.lang.Long.bitCount(words(at) & head)
      at += 1
      while (at < last) {
        sum += java.lang.Long.bitCount(words(at))
        at += 1
      }
      sum + bits(last, tail)
    }
  }

  private def bits(at: Int, mask: Long): Int = if (mask == 0) 0 else java.lang.Long.bitCount(words(at) & mask)

  /** First non-empty word at or after this one. There must be one. */
  def next(word: Int): Int =
    if (words(word) != 0) word
    else {
      var at = word
      var level = 0
      var found = above(0)(at >>> 6) & -1L << at
      while (found == 0) {
        at = (at >>> 6) + 1
        level += 1
        val row = above(level)
        found = if (at >>> 6 < row.length) row(at >>> 6) & -1L << at else 0L
      }
      at = (at & ~63) + java.lang.Long.numberOfTrailingZeros(found)
      while (level > 0) {
        level -= 1
        at = (at << 6) + java.lang.Long.numberOfTrailingZeros(above(level)(at))
      }
      at
    }

  /** Last non-empty word at or before this one. There must be one. */
  def previous(word: Int): Int =
    if (words(word) != 0) word
    else {
      var at = word
      var level = 0
      var found = above(0)(at >>> 6) & -1L >>> (63 - at)
      while (found == 0) {
        at = (at >>> 6) - 1
        level += 1
        found = above(level)(at >>> 6) & -1L >>> (63 - at)
      }
      at = (at & ~63) + 63 - java.lang.Long.numberOfLeadingZeros(found)
      while (level > 0) {
        level -= 1
        at = (at << 6) + 63 - java.lang.Long.numberOfLeadingZeros(above(level)(at))
      }
      at
    }

  private def raise(word: Int): Unit = {
    var at = word
    var level = 0
    while (level < above.length) {
      val row = above(level)
      val old = row(at >>> 6)
      row(at >>> 6) = old | 1L << at
      if (old != 0) return
      at >>>= 6
      level += 1
    }
  }

  private def lower(word: Int): Unit = {
    var at = word
    var level = 0
    while (level < above.length) {
      val row = above(level)
      val left = row(at >>> 6) & ~(1L << at)
      row(at >>> 6) = left
      if (left != 0) return
      at >>>= 6
      level += 1
    }
  }
}

private[chronosketch] object Marks {
  private def wordsFor(bits: Int): Int = (bits >>> 6) + (if ((bits & 63) == 0) 0 else 1)
}
