package chronosketch.sliding.order

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.rank.Phi
import chronosketch.sliding.{Frames, Stretches}

/** Finds the keys of given ranks in every row's frame.
  *
  * Guarantee  exact
  * Cost       O(1) per row and rank, amortised, plus sorting stretches of a few frames' length; of these only the parts near the
  *            answers are sorted completely. 8 bytes and a few bits per element of a stretch
  * Source     Suomela, Median filtering is equivalent to sorting, 2014; departs: the elements present are bits in key order and
  *            not nodes of two linked lists, blocks overlap and are not merged, and frames may change their size, be empty and
  *            leap
  *
  * Not thread-safe: work arrays are reused from run to run.
  */
final class BlockSort(ranks: Ranks) {
  private val rankCount = ranks.count
  private val order = new LazyOrder
  private val marks = new Marks

  // for each rank: the slot of the element that has it, the number of the frame's elements before that slot, the rank itself
  private val pointers, below, targets = new Array[Int](rankCount)
  private val answers = new Array[Long](rankCount)
  private var targetSize = -1

  /** Memory of the work arrays. The keys of a stretch, 8 bytes each, belong to the caller and are not counted. */
  def sizeBytes: Long =
    Meter.ObjectBytes + 3 * Meter.ints(rankCount) + Meter.longs(rankCount) + order.sizeBytes + marks.sizeBytes

  /** Element i has the key keys(i). Writes the key of the q-th rank of each row's frame to out(row·count + q). For an empty frame
    * these entries are meaningless.
    */
  def slide(keys: Array[Long], frames: Frames, out: Array[Long]): Unit = {
    var row = 0
    while (row < frames.rows) {
      val end = Stretches.end(frames, row)
      walk(keys, frames, row, end, out)
      row = end
    }
  }

  private def walk(keys: Array[Long], frames: Frames, first: Int, end: Int, out: Array[Long]): Unit = {
    val rankCount = this.rankCount
    val marks = this.marks
    val pointers = this.pointers
    val below = this.below
    val froms = frames.from
    val untils = frames.until
    val start = froms(first)
    val elements = untils(end - 1) - start
    order.begin(keys, start, elements)
    // each pointer starts at a slot beyond all others, which is never marked, so that its first answer is always searched
    marks.reset(elements + 1)
    Arrays.fill(pointers, elements)
    Arrays.fill(below, 0)
    val slots = order.slots
    var left = start // elements before this one have left the frame
    var arrived = start // elements before this one have arrived
    var row = first
    while (row < end) {
      frames.cancellation.checkAt(row)
      val from = froms(row)
      val until = untils(row)
      if (from > left || until > arrived) {
        var i = math.max(arrived, from)
        while (i < until) {
          val slot = slots(i - start)
          marks.set(slot)
          var q = 0
          while (q < rankCount) {
            below(q) += (slot - pointers(q)) >>> 31
            q += 1
          }
          i += 1
        }
        val stop = math.min(arrived, from)
        i = left
        while (i < stop) {
          val slot = slots(i - start)
          marks.clear(slot)
          var q = 0
          while (q < rankCount) {
            below(q) -= (slot - pointers(q)) >>> 31
            q += 1
          }
          i += 1
        }
        left = from
        arrived = until
        if (until > from) updateAnswers(keys, start, from, until)
      }
      var q = 0
      while (q < rankCount) {
        out(row * rankCount + q) = answers(q)
        q += 1
      }
      row += 1
    }
  }

  /** Moves every pointer to the element that has its rank in this frame. */
  private def updateAnswers(keys: Array[Long], start: Int, from: Int, until: Int): Unit = {
    if (until - from != targetSize) {
      targetSize = until - from
      ranks.of(targetSize, targets)
    }
    var q = 0
    while (q < rankCount) {
      // skip the search if the element is still present and still has the rank
      if (below(q) != targets(q) - 1 || !marks.isSet(pointers(q)) || order.elements(pointers(q)) < 0) {
        seek(q)
        while (order.elements(pointers(q)) < 0) {
          openCrowd(q, start, from, until)
          seek(q)
        }
        answers(q) = keys(start + order.elements(pointers(q)))
      }
      q += 1
    }
  }

  private def seek(q: Int): Unit = {
    val words = marks.words
    val rank = targets(q)
    val pointer = pointers(q)
    var at = pointer >>> 6
    if (below(q) < rank) {
      var remaining = rank - below(q)
      var word = words(at) & -1L << pointer
      var here = java.lang.Long.bitCount(word)
      while (here < remaining) {
        remaining -= here
        at = marks.next(at + 1)
        word = words(at)
        here = java.lang.Long.bitCount(word)
      }
      while (remaining > 1) {
        word &= word - 1
        remaining -= 1
      }
      pointers(q) = (at << 6) + java.lang.Long.numberOfTrailingZeros(word)
    } else {
      var remaining = below(q) - rank + 1
      var word = words(at) & ~(-1L << pointer)
      var here = java.lang.Long.bitCount(word)
      while (here < remaining) {
        remaining -= here
        at = marks.previous(at - 1)
        word = words(at)
        here = java.lang.Long.bitCount(word)
      }
      while (remaining > 1) {
        word &= ~java.lang.Long.highestOneBit(word)
        remaining -= 1
      }
      pointers(q) = (at << 6) + 63 - java.lang.Long.numberOfLeadingZeros(word)
    }
    below(q) = rank - 1
  }

  /** Sorts the crowd at the pointer's slot, and moves the pointer to the start of the crowd. No other pointer is in it, because a
    * pointer opens its crowd when it arrives.
    */
  private def openCrowd(q: Int, start: Int, from: Int, until: Int): Unit = {
    val slot = pointers(q)
    val first = order.crowdStart(slot)
    val end = order.crowdEnd(slot)
    below(q) -= marks.count(first, slot)
    pointers(q) = first
    val elements = order.elements
    var i = first
    while (i < end) {
      if (marks.isSet(i)) marks.clear(i)
      i += 1
    }
    order.sort(first, end)
    i = first
    while (i < end) {
      val element = start + elements(i)
      if (element >= from && element < until) marks.set(i)
      i += 1
    }
  }
}

/** The ranks to find in a frame. They depend only on the number of elements, so they are computed once per number and not once
  * per row.
  */
trait Ranks extends Serializable {

  /** Number of ranks. */
  def count: Int

  /** Writes the ranks for n ≥ 1 elements: numbers from 1 to n, in any order. */
  def of(n: Int, into: Array[Int]): Unit
}

object Ranks {

  /** The ranks of the φ-quantiles. */
  def apply(phis: Phi*): Ranks = new Ranks {
    private val phiArray = phis.toArray
    def count: Int = phiArray.length
    def of(n: Int, into: Array[Int]): Unit = {
      var i = 0
      while (i < phiArray.length) {
        into(i) = phiArray(i).rank(n.toLong).toInt
        i += 1
      }
    }
  }
}
