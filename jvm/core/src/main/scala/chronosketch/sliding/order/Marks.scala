package chronosketch.sliding.order

import java.util.Arrays

import chronosketch.memory.Meter

/** Which slots are marked, and where is the next one that is?
  *
  * Cost    setting and clearing touch one word, finding the next or the last word that has a mark O(log₆₄ n)
  * Source  a trie of 64-bit words, one bit for each word below that is not empty; as folklore has it
  */
private[chronosketch] final class Marks {

  /** Slot s is bit s mod 64 of word s/64. Written by `set` and `clear` only. */
  var words = new Array[Long](1)

  // of the k-th: one bit for each word of the one before it, the words themselves coming first; of one word the last in use
  private var above = Array.empty[Array[Long]]

  def sizeBytes: Long =
    Meter.ObjectBytes + Meter.longs(words.length) + above.map(row => Meter.longs(row.length)).sum

  /** No mark on any of n slots. */
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

  /** How many slots from `from` until `until` are marked. */
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

  private def bits(at: Int, of: Long): Int = if (of == 0) 0 else java.lang.Long.bitCount(words(at) & of)

  /** The first word from this one on that has a mark; there must be one. */
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

  /** The last word up to this one that has a mark; there must be one. */
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
