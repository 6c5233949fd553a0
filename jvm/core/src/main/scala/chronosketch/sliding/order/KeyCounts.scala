package chronosketch.sliding.order

import java.util.Arrays

import chronosketch.Refusal
import chronosketch.counted.CountedKeys
import chronosketch.sliding.{Frames, Stretches}

/** Which keys does a row see, how often, in their order?
  *
  * Guarantee  exact; an element counts as often as its number of copies says, all together within 63 bits or it is refused
  * Cost       the sorting of stretches of a few frames' length; O(1) an element that comes or goes; a row's keys all at once
  *            O(d/64) for d distinct keys in a stretch and O(1) a key; a rank O(d/4096), or a few steps from a lesser one
  * Source     as [[Mode]], with sums of counts above them in place of a tournament
  *
  * One a thread: its room is used again from run to run. Rows are gone to one after another, and may be passed over.
  */
final class KeyCounts extends CountedKeys {
  private val stretch = new DistinctKeys

  private var keys, copies: Array[Long] = Array.empty
  private var frames: Frames = _

  // the stretch at hand: its rows until this one, its first element; how often each of its distinct keys is there
  private var stretchEnd, start = 0
  private var counts = Array.empty[Long]

  // of each 64 distinct keys which are there and how many elements they are; of each 64 of these how many
  private var present, inWord, inBlock = Array.empty[Long]
  private var words, blocks = 0

  private var left, arrived = 0
  private var elements, tuples = 0L
  private var seen = 0

  /** Element i has the key keys(i), copies(i) times: once where there is no such array. */
  def begin(keys: Array[Long], copies: Array[Long], frames: Frames): Unit = {
    this.keys = keys
    this.copies = copies
    this.frames = frames
    stretchEnd = 0
  }

  /** To the frame of a row: a later one than the last, or the same. */
  def moveTo(row: Int): Unit = {
    if (row >= stretchEnd) open(row)
    val from = frames.from(row)
    val until = frames.until(row)
    // what goes is gone first: on the way no sum is above that of a frame
    var i = left
    val gone = math.min(from, arrived)
    while (i < gone) { leave(i); i += 1 }
    i = math.max(arrived, from)
    while (i < until) { arrive(i); i += 1 }
    left = from
    arrived = math.max(until, from)
    rewind()
  }

  private def open(row: Int): Unit = {
    stretchEnd = Stretches.end(frames, row)
    start = frames.from(row)
    left = start
    arrived = start
    stretch.read(keys, start, frames.until(stretchEnd - 1) - start)
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
    seen = 0
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
      seen += (if (after == 0) -1 else 1)
    }
    tuples += math.min(after, 2L) - math.min(before, 2L)
    inWord(word) += more
    inBlock(word >>> 6) += more
    elements += more
  }

  def total: Long = elements
  def distinct: Int = seen
  def onceOrTwice: Long = tuples

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

  // the key last sought: how many elements there are up to it; its word, what of it comes after the key, and up to its end
  private var at, sought = 0
  private var upTo, rest, upToEnd = 0L

  def rewind(): Unit = {
    at = -1
    upTo = 0L
    rest = 0L
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
      rest = present(at)
    }
    while (upTo < rank) {
      sought = (at << 6) + java.lang.Long.numberOfTrailingZeros(rest)
      upTo += counts(sought)
      rest &= rest - 1
    }
    stretch.keys(sought)
  }
}
