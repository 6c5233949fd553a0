package chronosketch.quantile

import java.util.Arrays

/** Which tuples tell many keys that came in no order, without sorting them?
  *
  * Guarantee  the minimum, then tuples of `limit` elements at most and no Δ, whose last is the maximum: the ranks of their keys are
  *            certain. They depend on which keys came, not on their order
  * Cost       three passes over the keys and one over the parts; keys of crowded parts are sorted
  * Units      keys of any domain; parts are equal steps between the least and the greatest key
  * Merge      none: its room is used again for the next keys
  *
  * A part's greatest key ends a tuple, so nothing within a part needs an order, as long as the part has no more than `limit` keys.
  */
private[quantile] final class KeyBlocks {
  // between two calls no part has a key, unless one failed
  private var isClean = true
  private var counts = new Array[Int](0)
  private var greatest = new Array[Long](0)
  private var crowded = new Array[Long](64)

  private var least = 0L
  private var most = 0L
  private var shift = 0
  private var parts = 0

  /** Tuples of the first n keys, or null where sorting all of them is better: where so few parts have a key that at most
    * `fewest` of these may differ, or where most keys crowd into a few parts.
    */
  def tuples(keys: Array[Long], n: Int, limit: Long, fewest: Double): Tuples =
    if (limit < 2 || n < KeyBlocks.Fewest) null
    else {
      findRange(keys, n)
      if (least == most) null
      else {
        if (!isClean) forget(counts.length)
        partition(n, limit)
        count(keys, n)
        val crowd = crowdBeyond(limit, fewest)
        if (crowd < 0 || crowd > n / 2) {
          forget(parts)
          null
        } else {
          if (crowd > 0) gather(keys, n, limit, crowd)
          new KeyBlocks.Packing(n, limit).pack(this)
        }
      }
    }

  private def findRange(keys: Array[Long], n: Int): Unit = {
    var low = keys(0)
    var high = low
    var i = 1
    while (i < n) {
      val key = keys(i)
      low = math.min(low, key)
      high = math.max(high, key)
      i += 1
    }
    least = low
    most = high
  }

  /** Eight parts a tuple: then few are crowded, unless the keys are. */
  private def partition(n: Int, limit: Long): Unit = {
    val wanted = math.max(KeyBlocks.Fewest.toLong, math.min(KeyBlocks.MostParts.toLong, 8L * n / limit))
    val bits = 64 - java.lang.Long.numberOfLeadingZeros(wanted - 1)
    // unsigned: the range may not fit 63 bits
    shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(most - least) - bits)
    parts = ((most - least) >>> shift).toInt + 1
    if (counts.length < parts) {
      counts = new Array[Int](parts)
      greatest = new Array[Long](parts)
      Arrays.fill(greatest, Long.MinValue)
    }
  }

  private def count(keys: Array[Long], n: Int): Unit = {
    isClean = false
    val c = counts
    val g = greatest
    val low = least
    val by = shift
    var i = 0
    while (i < n) {
      val key = keys(i)
      val part = ((key - low) >>> by).toInt
      c(part) += 1
      if (key > g(part)) g(part) = key
      i += 1
    }
  }

  /** How many keys are in parts of more than `limit`; −1 where no more than `fewest` parts have a key. */
  private def crowdBeyond(limit: Long, fewest: Double): Int = {
    val c = counts
    var taken = 0
    var crowd = 0
    var part = 0
    while (part < parts) {
      val size = c(part)
      taken += (if (size > 0) 1 else 0)
      crowd += (if (size > limit) size else 0)
      part += 1
    }
    if (taken <= fewest) -1 else crowd
  }

  /** The keys of crowded parts in order: part by part, since parts are in order. */
  private def gather(keys: Array[Long], n: Int, limit: Long, crowd: Int): Unit = {
    if (crowded.length < crowd) crowded = new Array[Long](crowd + crowd / 4)
    var o = 0
    var i = 0
    while (i < n) {
      val key = keys(i)
      if (counts(((key - least) >>> shift).toInt) > limit) { crowded(o) = key; o += 1 }
      i += 1
    }
    TupleScratch.own.sorting.sort(crowded, crowd)
  }

  private def forget(until: Int): Unit = {
    Arrays.fill(counts, 0, until, 0)
    Arrays.fill(greatest, 0, until, Long.MinValue)
    end()
  }

  /** No part has a key; a giant's room is given back. */
  private def end(): Unit = {
    isClean = true
    if (crowded.length > TupleScratch.MostKept) crowded = new Array[Long](64)
  }
}

private[quantile] object KeyBlocks {

  /** Of fewer keys sorting is as quick. */
  private val Fewest = 256
  private val MostParts = 1 << 18

  /** Puts parts together, from the least to the greatest, as long as they fit into a tuple. */
  private final class Packing(n: Int, limit: Long) {
    private val tuples = new Tuples
    // two neighbours have more than `limit` elements together, and so has what a crowded part ends and begins
    tuples.reserve((5L * n / limit + 8).toInt)
    private val k = tuples.keys
    private val g = tuples.gs
    private var o = 0
    private var waiting = 0L
    private var last = 0L

    def pack(blocks: KeyBlocks): Tuples = {
      val c = blocks.counts
      val greatest = blocks.greatest
      var inCrowd = 0
      k(0) = blocks.least
      g(0) = 1L
      o = 1
      var part = 0
      while (part < blocks.parts) {
        val size = c(part)
        if (size > 0) {
          // the least key of all has a tuple of its own
          val taken = if (part == 0) 1 else 0
          if (size > limit) {
            var i = taken
            while (i < size) { add(blocks.crowded(inCrowd + i), 1L); i += 1 }
            inCrowd += size
          } else if (size > taken) add(greatest(part), (size - taken).toLong)
          c(part) = 0
          greatest(part) = Long.MinValue
        }
        part += 1
      }
      if (waiting > 0) end()
      blocks.end()
      tuples.size = o
      tuples.count = n.toLong
      tuples
    }

    /** Some elements, the greatest of which is `key`. */
    private def add(key: Long, elements: Long): Unit = {
      if (waiting + elements > limit) end()
      waiting += elements
      last = key
    }

    /** Of more than two tuples of one key all between the first and the last are folded into the last. */
    private def end(): Unit = {
      if (o > 1 && k(o - 1) == last && k(o - 2) == last) g(o - 1) += waiting
      else {
        k(o) = last
        g(o) = waiting
        o += 1
      }
      waiting = 0L
    }
  }
}
