package chronosketch.sliding.order

import java.util.Arrays

import chronosketch.Cancellation
import chronosketch.sliding.{Frames, Stretches}
import chronosketch.sort.PairSort

/** Slides over the rows of a stretch and maintains a statistic of the distinct keys, one arriving or leaving element at a time.
  *
  * Guarantee  [[answer]] is called when exactly the elements of a row's frame are present
  * Cost       sorting stretches of a few frames' length; one call per element that arrives and one per element that leaves
  *
  * Not thread-safe: work arrays are reused from run to run.
  */
private[order] abstract class StretchWalk {
  protected final val stretch = new DistinctKeys

  /** Starts a new stretch, none of whose elements has arrived. */
  protected def begin(): Unit

  /** Adds an element. Its key is the stretch's distinct key at this index. */
  protected def arrive(number: Int): Unit
  protected def leave(number: Int): Unit

  /** The statistic of the elements present, at least one. */
  protected def answer: Long

  /** Element i has the key keys(i). Writes the answer for each row to out(row), 0 for an empty frame. */
  final def slide(keys: Array[Long], frames: Frames, out: Array[Long]): Unit = {
    var row = 0
    while (row < frames.rows) {
      val end = Stretches.end(frames, row)
      walk(keys, frames, row, end, out)
      row = end
    }
  }

  private def walk(keys: Array[Long], frames: Frames, first: Int, end: Int, out: Array[Long]): Unit = {
    val froms = frames.from
    val untils = frames.until
    val start = froms(first)
    stretch.read(keys, start, untils(end - 1) - start, frames.cancellation)
    begin()
    val numbers = stretch.numbers
    var left = start // elements before this one have left the frame
    var arrived = start // elements before this one have arrived
    var row = first
    while (row < end) {
      frames.cancellation.checkAt(row)
      val from = froms(row)
      val until = untils(row)
      var i = math.max(arrived, from)
      while (i < until) {
        arrive(numbers(i - start))
        i += 1
      }
      val stop = math.min(arrived, from)
      i = left
      while (i < stop) {
        leave(numbers(i - start))
        i += 1
      }
      left = from
      arrived = until
      out(row) = if (from < until) answer else 0L
      row += 1
    }
  }
}

/** Maps each element of a stretch to its distinct key.
  *
  * Cost  one sort of the stretch
  *
  * Not thread-safe: work arrays are reused from stretch to stretch.
  */
private[order] final class DistinctKeys {
  private val sorter = new PairSort
  private var sorted = Array.emptyLongArray
  private var order = Array.emptyIntArray

  /** The distinct keys in ascending order. Entries from [[count]] on are meaningless. */
  var keys = Array.emptyLongArray

  /** numbers(i) is the index in `keys` of the key of the stretch's i-th element. */
  var numbers = Array.emptyIntArray

  /** Number of distinct keys. */
  var count = 0

  /** Reads n elements, beginning at `start`. */
  def read(all: Array[Long], start: Int, n: Int, cancellation: Cancellation): Unit = {
    if (n > numbers.length) {
      val room = n + n / 4
      sorted = new Array[Long](room)
      order = new Array[Int](room)
      keys = new Array[Long](room)
      numbers = new Array[Int](room)
    }
    System.arraycopy(all, start, sorted, 0, n)
    var i = 0
    while (i < n) { order(i) = i; i += 1 }
    sorter.sort(sorted, order, 0, n, cancellation)
    var last = -1
    i = 0
    while (i < n) {
      val key = sorted(i)
      if (i == 0 || key != keys(last)) {
        last += 1
        keys(last) = key
      }
      numbers(order(i)) = last
      i += 1
    }
    count = last + 1
  }
}

/** Counts the distinct keys of every row's frame.
  *
  * Guarantee  exact; 0 for an empty frame
  * Cost       sorting stretches of a few frames' length; O(1) per element that arrives or leaves
  * Source     the multiplicity of each key, and the number of multiplicities above 0; the thesis of Meijer, 2011, table 3.1
  */
final class DistinctCount extends StretchWalk {
  private var counts = Array.empty[Int]
  private var distinct = 0

  protected def begin(): Unit = {
    if (counts.length < stretch.count) counts = new Array[Int](stretch.keys.length)
    else Arrays.fill(counts, 0, stretch.count, 0)
    distinct = 0
  }

  protected def arrive(number: Int): Unit = {
    if (counts(number) == 0) distinct += 1
    counts(number) += 1
  }

  protected def leave(number: Int): Unit = {
    counts(number) -= 1
    if (counts(number) == 0) distinct -= 1
  }

  protected def answer: Long = distinct.toLong
}

/** Finds the most frequent key of every row's frame.
  *
  * Guarantee  exact; of several equally frequent keys, the smallest
  * Cost       sorting stretches of a few frames' length; O(log d) per row, amortised, for d distinct keys in a stretch; O(1) if
  *            the key that arrives or leaves is not among the most frequent of its subtree
  * Source     a tournament tree over the counts of the distinct keys, each node holding the more frequent of two; Knuth, The Art
  *            of Computer Programming 3, §5.4.1
  */
final class Mode extends StretchWalk {
  // how often each distinct key is in the frame
  private var counts = Array.empty[Int]

  // a tree over d distinct keys: leaf d + i is key i, node k holds the winner of nodes 2·k and 2·k + 1, node 1 the overall
  // winner
  private var winners = Array.empty[Int]

  private var players = 0

  protected def begin(): Unit = {
    players = stretch.count
    seat(players)
  }

  protected def arrive(number: Int): Unit = play(number, 1, players)
  protected def leave(number: Int): Unit = play(number, -1, players)
  protected def answer: Long = stretch.keys(winners(1))

  /** Fills the tree with counts of 0, where the smallest key wins. */
  private def seat(players: Int): Unit = {
    if (counts.length < players) {
      counts = new Array[Int](stretch.keys.length)
      winners = new Array[Int](2 * stretch.keys.length)
    }
    var i = 0
    while (i < players) {
      counts(i) = 0
      winners(players + i) = i
      i += 1
    }
    i = players - 1
    while (i > 0) {
      winners(i) = math.min(winners(2 * i), winners(2 * i + 1))
      i -= 1
    }
  }

  private def play(player: Int, change: Int, players: Int): Unit = {
    val counts = this.counts
    val winners = this.winners
    counts(player) += change
    var at = (players + player) >>> 1
    while (at > 0) {
      val leftKey = winners(2 * at)
      val rightKey = winners(2 * at + 1)
      val ahead = counts(leftKey) - counts(rightKey)
      val winner = if (ahead > 0 || (ahead == 0 && leftKey < rightKey)) leftKey else rightKey
      // the same winner with the same count: nothing changes further up
      if (winner == winners(at) && winner != player) return
      winners(at) = winner
      at >>>= 1
    }
  }
}
