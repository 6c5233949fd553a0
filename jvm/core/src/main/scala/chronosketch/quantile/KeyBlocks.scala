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

  // the tuples, before it is known how many they are
  private var k, g = new Array[Long](64)
  private var o = 0
  // what waits to become the next: so many elements up to that key; and how many keys of crowded parts have been put there
  private var waiting = 0
  private var last = 0L
  private var inCrowd = 0

  private var least = 0L
  private var most = 0L
  // a key's part: its distance to the least, shifted so that 31 bits hold it, times the parts a unit of that as a fraction of 31 bits
  private var shift = 0
  private var scale = 0L
  private var parts = 0

  /** Tuples of the first n keys, or null where sorting all of them is better: where so few parts have a key that at most
    * `fewest` of these may differ, or where three quarters of the keys crowd into a few parts.
    */
  def tuples(keys: Array[Long], n: Int, limit: Long, fewest: Double): Tuples =
    tuples(keys, n, math.min(limit, n.toLong).toInt, fewest)

  private def tuples(keys: Array[Long], n: Int, limit: Int, fewest: Double): Tuples =
    if (limit < 2 || n < KeyBlocks.Fewest) null
    else {
      findRange(keys, n)
      if (least == most) null
      else {
        if (!isClean) forget(counts.length)
        partition(n, limit)
        count(keys, n)
        val crowd = crowdBeyond(limit, fewest)
        if (crowd < 0 || crowd > n - n / 4) {
          forget(parts)
          null
        } else {
          if (crowd > 0) gather(keys, n, limit, crowd)
          pack(n, limit, crowd > 0)
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

  /** Sixteen parts a tuple, but hardly more parts than keys: then few are crowded, unless the keys are. As many as that, not the
    * power of 2 below: of half as many, those in the middle of a lognormal distribution are crowded.
    */
  private def partition(n: Int, limit: Int): Unit = {
    val wanted = math.min(KeyBlocks.MostParts.toLong, math.min(16L * n / limit, n + n / 4L))
    // unsigned: the range may not fit 63 bits
    shift = math.max(0, 64 - java.lang.Long.numberOfLeadingZeros(most - least) - KeyBlocks.Bits)
    val range = (most - least) >>> shift
    scale = math.min(1L << KeyBlocks.Bits, (wanted << KeyBlocks.Bits) / (range + 1))
    parts = partOf(most) + 1
    if (counts.length < parts) {
      counts = new Array[Int](parts)
      greatest = new Array[Long](parts)
      Arrays.fill(greatest, Long.MinValue)
    }
  }

  private def partOf(key: Long): Int = KeyBlocks.part(key - least, shift, scale)

  /** Not by math.max: what the JIT saw of it elsewhere, such as in [[findRange]], would decide whether it is a branch here. */
  private def count(keys: Array[Long], n: Int): Unit = {
    isClean = false
    val c = counts
    val g = greatest
    val low = least
    val by = shift
    val times = scale
    var i = 0
    while (i < n) {
      val key = keys(i)
      val part = KeyBlocks.part(key - low, by, times)
      c(part) += 1
      val greatest = g(part)
      g(part) = if (key > greatest) key else greatest
      i += 1
    }
  }

  /** How many keys are in parts of more than `limit`; −1 where no more than `fewest` parts have a key.
    *
    * Signs are shifted, not compared: the JIT makes vectors of that.
    */
  private def crowdBeyond(limit: Int, fewest: Double): Int = {
    val c = counts
    val until = parts
    var taken = 0
    var crowd = 0
    var part = 0
    while (part < until) {
      val size = c(part)
      taken += -size >>> 31
      crowd += size & ((limit - size) >> 31)
      part += 1
    }
    if (taken <= fewest) -1 else crowd
  }

  /** The keys of crowded parts in order: part by part, since parts are in order. */
  private def gather(keys: Array[Long], n: Int, limit: Int, crowd: Int): Unit = {
    if (crowded.length <= crowd) crowded = new Array[Long](crowd + crowd / 4 + 1)
    val c = counts
    val to = crowded
    val low = least
    val by = shift
    val times = scale
    var o = 0
    var i = 0
    while (i < n) {
      val key = keys(i)
      // written in any case, and kept or not: that is a coin toss
      to(o) = key
      o += (if (c(KeyBlocks.part(key - low, by, times)) > limit) 1 else 0)
      i += 1
    }
    TupleScratch.own.sorting.sort(crowded, crowd)
  }

  /** Puts parts together, from the least to the greatest, as long as they fit into a tuple. */
  private def pack(n: Int, limit: Int, hasCrowd: Boolean): Tuples = {
    // two neighbours have more than `limit` elements together, and so has what a crowded part ends and begins
    reserve((5L * n / limit + 8).toInt)
    // the least key of all has a tuple of its own
    k(0) = least
    g(0) = 1L
    o = 1
    inCrowd = 0
    last = least
    waiting = 0
    var part = 0
    if (counts(0) > limit) part = packCrowd(0, 1, limit)
    else waiting -= 1
    while (part < parts) {
      val crowd = if (hasCrowd) nextCrowd(part, limit) else parts
      packRun(part, crowd, limit)
      part = if (crowd < parts) packCrowd(crowd, 0, limit) else crowd
    }
    if (waiting > 0) end(last, waiting)
    forget(parts)
    val tuples = new Tuples
    tuples.reserve(o)
    System.arraycopy(k, 0, tuples.keys, 0, o)
    System.arraycopy(g, 0, tuples.gs, 0, o)
    tuples.size = o
    tuples.count = n.toLong
    tuples
  }

  private def nextCrowd(from: Int, limit: Int): Int = {
    var part = from
    while (part < parts && counts(part) <= limit) part += 1
    part
  }

  /** Puts parts together, none of which is crowded.
    *
    * Whether a part has keys is a coin toss: computed, not branched on. Whether it fits is none, since most do.
    */
  private def packRun(from: Int, until: Int, limit: Int): Unit = {
    val c = counts
    val ends = greatest
    val toKeys = k
    val toWeights = g
    var at = o
    var waits = waiting
    var key = last
    var part = from
    while (part < until) {
      val size = c(part)
      val together = waits + size
      if (together <= limit) waits = together
      else {
        toKeys(at) = key
        toWeights(at) = waits
        at += 1
        waits = size
      }
      key += (ends(part) - key) & (-size >> 31).toLong
      part += 1
    }
    o = at
    waiting = waits
    last = key
  }

  /** Puts the keys of a crowded part behind what waits, one by one, but so many of the first; the part behind it. */
  private def packCrowd(part: Int, first: Int, limit: Int): Int = {
    val until = inCrowd + counts(part)
    var i = inCrowd + first
    while (i < until) {
      if (waiting == limit) {
        end(last, waiting)
        waiting = 0
      }
      waiting += 1
      last = crowded(i)
      i += 1
    }
    // a key that has a tuple already has at most one more
    if (k(o - 1) == last) {
      end(last, waiting)
      waiting = 0
    }
    inCrowd = until
    part + 1
  }

  /** Of more than two tuples of one key all between the first and the last are folded into the last. */
  private def end(last: Long, waiting: Long): Unit =
    if (o > 1 && k(o - 1) == last && k(o - 2) == last) g(o - 1) += waiting
    else {
      k(o) = last
      g(o) = waiting
      o += 1
    }

  private def reserve(tuples: Int): Unit = if (k.length < tuples) {
    k = new Array[Long](tuples)
    g = new Array[Long](tuples)
  }

  /** No part has a key; a giant's room is given back. */
  private def forget(until: Int): Unit = {
    Arrays.fill(counts, 0, until, 0)
    Arrays.fill(greatest, 0, until, Long.MinValue)
    isClean = true
    if (crowded.length > TupleScratch.MostKept) crowded = new Array[Long](64)
  }
}

private[quantile] object KeyBlocks {

  /** Of fewer keys sorting is as quick. */
  private val Fewest = 256
  private val MostParts = 1 << 18
  private final val Bits = 31

  /** Of a key so far above the least. The greater key is never in the lesser part. */
  private def part(above: Long, shift: Int, scale: Long): Int = (((above >>> shift) * scale) >>> Bits).toInt
}
