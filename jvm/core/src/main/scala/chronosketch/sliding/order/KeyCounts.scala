package chronosketch.sliding.order

import java.util.Arrays

import chronosketch.Refusal
import chronosketch.counted.CountedKeys
import chronosketch.sliding.{Frames, Stretches}

/** The distinct keys of a row's frame in ascending order, with their multiplicities.
  *
  * Guarantee  exact; each element counts as often as its number of copies says. Counts beyond 63 bits are rejected
  * Cost       sorting stretches of a few frames' length; O(1) per element that arrives or leaves; all keys of a row O(d/64) plus
  *            O(1) per key for d distinct keys in a stretch; a rank O(d/4096), or a few steps from a smaller rank
  * Source     as [[Mode]], with sums of counts in place of the tournament
  *
  * Not thread-safe: work arrays are reused from run to run. Rows are visited in order; rows may be skipped.
  */
final class KeyCounts extends CountedKeys {
  private val stretch = new DistinctKeys

  private var keys, copies: Array[Long] = Array.empty
  private var frames: Frames = _

  // the current stretch: the row where it ends, its first element, and the multiplicity of each of its distinct keys
  private var stretchEnd, start = 0
  private var counts = Array.empty[Long]

  // for each word of 64 distinct keys: a bit for each key present, and their number of elements; the same number for each
  // block of 64 words
  private var present, inWord, inBlock = Array.empty[Long]
  private var words, blocks = 0

  private var left, arrived = 0
  private var elements, tuples = 0L
  private var distinctKeys = 0

  /** Element i has the key keys(i), copies(i) times. `copies` is null if every element counts once. */
  def begin(keys: Array[Long], copies: Array[Long], frames: Frames): Unit = {
    this.keys = keys
    this.copies = copies
    this.frames = frames
    stretchEnd = 0
  }

  /** Moves to the frame of a row, which must not be before the last one. */
  def moveTo(row: Int): Unit = {
    frames.cancellation.checkAt(row)
    if (row >= stretchEnd) startStretch(row)
    val from = frames.from(row)
    val until = frames.until(row)
    // elements leave before others arrive, so that no intermediate sum exceeds that of a frame
    var i = left
    val gone = math.min(from, arrived)
    while (i < gone) { leave(i); i += 1 }
    i = math.max(arrived, from)
    while (i < until) { arrive(i); i += 1 }
    left = from
    arrived = math.max(until, from)
    rewind()
  }

  private def startStretch(row: Int): Unit = {
    stretchEnd = Stretches.end(frames, row)
    start = frames.from(row)
    left = start
    arrived = start
    stretch.read(keys, start, frames.until(stretchEnd - 1) - start, frames.cancellation)
    val distinct = stretch.count
    if (counts.length < distinct) counts = new Array[Long](stretch.keys.length)
    words = (distinct + 63) >>> 6
    blocks = (words + 63) >>> 6
    if (present.length < words) {
      present = new Array[Long](words + words / 4)
      inWord = new Array[Long](present.length)
      inBlock = new Array[Long]((present.length >>> 6) + 1)
    }
    Arrays.fill(counts, 0, distinct, 0L)
    Arrays.fill(present, 0, words, 0L)
    Arrays.fill(inWord, 0, words, 0L)
    Arrays.fill(inBlock, 0, blocks, 0L)
    elements = 0L
    tuples = 0L
    distinctKeys = 0
  }

  private def arrive(i: Int): Unit = {
    val more = if (copies == null) 1L else copies(i)
    if (more < 0) throw Refusal("CHRONOSKETCH_INVALID_FREQUENCY", "frequency" -> more.toString)
    if (Long.MaxValue - elements < more)
      throw Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> Long.MaxValue.toString)
    add(stretch.numbers(i - start), more)
  }

  private def leave(i: Int): Unit = add(stretch.numbers(i - start), if (copies == null) -1L else -copies(i))

  private def add(number: Int, more: Long): Unit = {
    val before = counts(number)
    val after = before + more
    counts(number) = after
    val word = number >>> 6
    if ((before == 0) != (after == 0)) {
      present(word) ^= 1L << number
      distinctKeys += (if (after == 0) -1 else 1)
    }
    tuples += math.min(after, 2L) - math.min(before, 2L)
    inWord(word) += more
    inBlock(word >>> 6) += more
    elements += more
  }

  def total: Long = elements
  def distinct: Int = distinctKeys
  def exactTuples: Long = tuples

  def copyTo(keys: Array[Long], copies: Array[Long]): Unit = {
    var o = 0
    var word = 0
    while (word < words) {
      var bits = present(word)
      while (bits != 0) {
        val number = (word << 6) + java.lang.Long.numberOfTrailingZeros(bits)
        keys(o) = stretch.keys(number)
        copies(o) = counts(number)
        o += 1
        bits &= bits - 1
      }
      word += 1
    }
  }

  // state of the last search: current word, index of the key found; elements up to the key, unread bits of the word,
  // elements up to the word's end
  private var at, foundIndex = 0
  private var upTo, unreadBits, upToEnd = 0L

  def rewind(): Unit = {
    at = -1
    upTo = 0L
    unreadBits = 0L
    upToEnd = 0L
  }

  def seek(rank: Long): Long = {
    if (upToEnd < rank) {
      upTo = upToEnd
      at += 1
      while (upTo + inWord(at) < rank) {
        if ((at & 63) == 0 && upTo + inBlock(at >>> 6) < rank) {
          upTo += inBlock(at >>> 6)
          at += 64
        } else {
          upTo += inWord(at)
          at += 1
        }
      }
      upToEnd = upTo + inWord(at)
      unreadBits = present(at)
    }
    while (upTo < rank) {
      foundIndex = (at << 6) + java.lang.Long.numberOfTrailingZeros(unreadBits)
      upTo += counts(foundIndex)
      unreadBits &= unreadBits - 1
    }
    stretch.keys(foundIndex)
  }
}
