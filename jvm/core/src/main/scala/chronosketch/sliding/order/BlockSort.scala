package chronosketch.sliding.order

import java.util.Arrays

import chronosketch.memory.Meter
import chronosketch.sliding.{Frames, Stretches}

/** Which keys have the ranks asked, of every row's frame?
  *
  * Guarantee  exact
  * Cost       O(1) a row and rank amortised beside the sorting of stretches of a few frames' length, of which only what the answers
  *            come near is sorted to the end. 8 bytes an element of a stretch and a few bits
  * Source     Suomela, Median filtering is equivalent to sorting, 2014; departs: the elements present are bits in the order of keys
  *            and not nodes of two linked lists, blocks overlap in place of being merged, and frames may change their size, be empty
  *            and leap
  *
  * One a thread: its room is used again from run to run.
  */
final class BlockSort(ranks: Ranks) {
  private val asked = ranks.count
  private val order = new LazyOrder
  private val marks = new Marks

  // of each rank asked: the slot of the element that has it, how many elements of the frame come before that slot, the rank, the key
  private val pointers, below, sought = new Array[Int](asked)
  private val answers = new Array[Long](asked)
  private var soughtOf = -1

  /** The memory of its work arrays. A stretch of keys, which are the caller's, takes 8 bytes an element beside them. */
  def sizeBytes: Long =
    Meter.ObjectBytes + 3 * Meter.ints(asked) + Meter.longs(asked) + order.sizeBytes + marks.sizeBytes

  /** Element i has the key keys(i). Leaves at out(row·count + q) the key that has the q-th rank of the row's frame; what is there of
    * an empty frame says nothing.
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
    val asked = this.asked
    val marks = this.marks
    val pointers = this.pointers
    val below = this.below
    val froms = frames.from
    val untils = frames.until
    val start = froms(first)
    val elements = untils(end - 1) - start
    order.begin(keys, start, elements)
    // each pointer begins at a slot beyond all others, which is never marked: it will have to seek
    marks.reset(elements + 1)
    Arrays.fill(pointers, elements)
    Arrays.fill(below, 0)
    val slots = order.slots
    var left = start // elements before this one have left
    var arrived = start // those before this one have arrived
    var row = first
    while (row < end) {
      val from = froms(row)
      val until = untils(row)
      if (from > left || until > arrived) {
        var i = math.max(arrived, from)
        while (i < until) {
          val slot = slots(i - start)
          marks.set(slot)
          var q = 0
          while (q < asked) {
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
          while (q < asked) {
            below(q) -= (slot - pointers(q)) >>> 31
            q += 1
          }
          i += 1
        }
        left = from
        arrived = until
        if (until > from) settle(keys, start, from, until)
      }
      var q = 0
      while (q < asked) {
        out(row * asked + q) = answers(q)
        q += 1
      }
      row += 1
    }
  }

  /** Every pointer to the element that has its rank in this frame. */
  private def settle(keys: Array[Long], start: Int, from: Int, until: Int): Unit = {
    if (until - from != soughtOf) {
      soughtOf = until - from
      ranks.of(soughtOf, sought)
    }
    var q = 0
    while (q < asked) {
      // neither moves nor looks when the element still is there and has its rank
      if (below(q) != sought(q) - 1 || !marks.isSet(pointers(q)) || order.elements(pointers(q)) < 0) {
        seek(q)
        while (order.elements(pointers(q)) < 0) {
          open(q, start, from, until)
          seek(q)
        }
        answers(q) = keys(start + order.elements(pointers(q)))
      }
      q += 1
    }
  }

  private def seek(q: Int): Unit = {
    val words = marks.words
    val rank = sought(q)
    val pointer = pointers(q)
    var at = pointer >>> 6
    if (below(q) < rank) {
      var togo = rank - below(q)
      var word = words(at) & -1L << pointer
      var here = java.lang.Long.bitCount(word)
      while (here < togo) {
        togo -= here
        at = marks.next(at + 1)
        word = words(at)
        here = java.lang.Long.bitCount(word)
      }
      while (togo > 1) {
        word &= word - 1
        togo -= 1
      }
      pointers(q) = (at << 6) + java.lang.Long.numberOfTrailingZeros(word)
    } else {
      var togo = below(q) - rank + 1
      var word = words(at) & ~(-1L << pointer)
      var here = java.lang.Long.bitCount(word)
      while (here < togo) {
        togo -= here
        at = marks.previous(at - 1)
        word = words(at)
        here = java.lang.Long.bitCount(word)
      }
      while (togo > 1) {
        word &= ~java.lang.Long.highestOneBit(word)
        togo -= 1
      }
      pointers(q) = (at << 6) + 63 - java.lang.Long.numberOfLeadingZeros(word)
    }
    below(q) = rank - 1
  }

  /** Sorts the crowd that the pointer has come to, and puts it to the crowd's start. No other pointer is in it. */
  private def open(q: Int, start: Int, from: Int, until: Int): Unit = {
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
