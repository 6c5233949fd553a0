package chronosketch.quantile

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.counted.Share
import chronosketch.domain.Domain

/** The payload of a quantile sketch; docs/format.md has it in words. */
private[chronosketch] object GreenwaldKhannaWire {
  private val ExactBag = 0
  private val TupleList = 1

  /** What a key takes at most, with its count, where keys are doubles of one magnitude: twenty at a time, and fewer bytes the more there
    * are. More than that only costs another array.
    */
  val BytesAKey = 9
  private val BytesATuple = 10

  def write(w: Wire.Writer, tuples: Tuples): Unit = {
    val k = tuples.keys
    val g = tuples.gs
    val d = tuples.deltas
    val size = tuples.size
    var distinct = 0
    var exact = true
    var i = 0
    while (i < size) {
      if (i == 0 || k(i) != k(i - 1)) {
        distinct += 1
        if (g(i) + d(i) > 1) exact = false
      }
      i += 1
    }
    w.expect(if (exact) BytesAKey.toLong * distinct else BytesATuple.toLong * size)
    if (exact) {
      w.byte(ExactBag)
      w.varint(distinct.toLong)
      var last = 0L
      i = 0
      while (i < size) {
        if (i == 0) w.zigzag(k(0)) else if (k(i) != k(i - 1)) w.varint(k(i) - last)
        last = k(i)
        i += 1
      }
      i = 0
      while (i < size) {
        val paired = i + 1 < size && k(i + 1) == k(i)
        w.varint(if (paired) 1 + g(i + 1) else 1L)
        i += (if (paired) 2 else 1)
      }
    } else {
      w.byte(TupleList)
      w.varint(size.toLong)
      w.zigzag(k(0))
      w.differences(k, size)
      w.varints(g, size)
      w.varints(d, size)
    }
  }

  /** The keys of an exact bag, in order, as [[write]] writes them when they are a sketch's. */
  def writeBag(w: Wire.Writer, keys: Array[Long], n: Int): Unit = {
    var distinct = math.min(n, 1)
    var i = 1
    while (i < n) {
      distinct += (if (keys(i) != keys(i - 1)) 1 else 0)
      i += 1
    }
    w.expect(BytesAKey.toLong * distinct)
    w.byte(ExactBag)
    w.varint(distinct.toLong)
    if (distinct == n && n > 0) {
      w.zigzag(keys(0))
      w.differences(keys, n)
      w.ones(n)
    } else writeCopies(w, keys, n)
  }

  private def writeCopies(w: Wire.Writer, keys: Array[Long], n: Int): Unit = {
    var i = 0
    while (i < n) {
      if (i == 0) w.zigzag(keys(0)) else if (keys(i) != keys(i - 1)) w.varint(keys(i) - keys(i - 1))
      i += 1
    }
    i = 0
    while (i < n) {
      val from = i
      i += 1
      while (i < n && keys(i) == keys(from)) i += 1
      w.varint((i - from).toLong)
    }
  }

  def read(r: Wire.Reader, recipe: QuantileRecipe): GreenwaldKhanna = {
    val sketch = recipe.empty
    val bag = r.fork()
    val room = TupleScratch.own.stored
    val most = BagLimit.mostSettled(recipe.epsilon)
    val n = readSettled(bag, recipe.domain, most, Long.MaxValue, room)
    if (n >= 0) {
      r.goTo(bag)
      sketch.restoreBag(room.keys, n)
    } else {
      val stored = new Tuples
      decode(r, recipe, stored)
      sketch.restore(stored)
    }
    room.trim()
    sketch
  }

  /** The elements of an exact bag in order, where it has at most `most`, none of its keys more than `mostCopies`, and they take no
    * more room than its tuples; otherwise −1.
    */
  def readSettled(
      r: Wire.Reader,
      domain: Domain,
      most: Int,
      mostCopies: Long,
      into: Tuples
  ): Int = {
    val distinct = sizeOfBag(r.fork())
    if (distinct < 0 || distinct > most) -1
    else {
      val room = math.min(2L * distinct, most.toLong).toInt
      into.reserve(room)
      readBag(r, domain, into.keys, room, mostCopies)
    }
  }

  private def sizeOfBag(r: Wire.Reader): Int = if (r.byte() == ExactBag) r.size(2) else -1

  /** Into arrays that may have been used before; after a refusal they hold nothing of use. */
  def decode(r: Wire.Reader, header: QuantileRecipe, into: Tuples): Unit =
    r.byte() match {
      case ExactBag => readExact(r, header.domain, into)
      case TupleList => readTuples(r, header.domain, header.epsilon, into)
      case other => throw r.corrupt(s"its payload has an unknown form ($other)")
    }

  /** The elements of an exact bag in order; −1 where this is none, has more than `most`, or one key has more than `mostCopies`. */
  def readBag(r: Wire.Reader, domain: Domain, keys: Array[Long], most: Int, mostCopies: Long): Int =
    if (r.byte() != ExactBag) -1
    else {
      val m = r.size(2)
      if (m > most) -1
      else {
        readKeys(r, domain, m, keys, distinct = true)
        val counts = r.fork()
        var n = 0L
        var i = 0
        while (i < m && n >= 0) {
          val copies = positive(r)
          // what is too much is told apart from what is corrupt by whoever decodes it
          n = if (copies > mostCopies || copies > most - n) -1L else n + copies
          i += 1
        }
        if (n > m) spread(keys, m, counts, n.toInt)
        n.toInt
      }
    }

  /** Each of m keys as often as its count says, in place: from the right, so that no key is overwritten before it is read. */
  private def spread(keys: Array[Long], m: Int, counts: Wire.Reader, n: Int): Unit = {
    // to the right end first: then copies fill up from the left and never pass the key that is next
    System.arraycopy(keys, 0, keys, n - m, m)
    var o = 0
    var i = n - m
    while (i < n) {
      val key = keys(i)
      var copies = counts.varint()
      while (copies > 0) { keys(o) = key; o += 1; copies -= 1 }
      i += 1
    }
  }

  /** Differences are unsigned; a sum that comes out at or below the key before it ran over. */
  private def readKeys(
      r: Wire.Reader,
      domain: Domain,
      m: Int,
      k: Array[Long],
      distinct: Boolean
  ): Unit = if (m > 0) {
    k(0) = r.zigzag()
    r.differences(k, m)
    var before = k(0)
    var i = 1
    while (i < m) {
      val key = k(i)
      if (key < before || (key == before && distinct)) throw r.corrupt("its values are not in order")
      before = key
      i += 1
    }
    if (!domain.holdsAll(k, m)) throw r.corrupt(s"it has a value that ${domain.sql} can't have")
  }

  private def positive(r: Wire.Reader): Long = requirePositive(r, r.varint())

  private def requirePositive(r: Wire.Reader, value: Long): Long = {
    if (value < 1) throw r.corrupt("it has a weight that is not positive")
    value
  }

  private def sum(r: Wire.Reader, a: Long, b: Long): Long = {
    val total = a + b
    if (total < 0) throw r.corrupt("its count has more than 63 bits")
    total
  }

  private def readExact(r: Wire.Reader, domain: Domain, into: Tuples): Unit = {
    val m = r.size(2)
    into.reserve(2 * m)
    val k = into.keys
    val g = into.gs
    // the Δ are all 0: until then their place is free
    val distinct = into.deltas
    readKeys(r, domain, m, distinct, distinct = true)
    var o = 0
    var n = 0L
    var i = 0
    while (i < m) {
      val copies = positive(r)
      n = sum(r, n, copies)
      k(o) = distinct(i)
      g(o) = 1L
      o += 1
      if (copies > 1) {
        k(o) = distinct(i)
        g(o) = copies - 1
        o += 1
      }
      i += 1
    }
    Arrays.fill(distinct, 0, math.max(o, m), 0L)
    into.size = o
    into.count = n
    into.isThinned = false
  }

  private def readTuples(r: Wire.Reader, domain: Domain, epsilon: Double, into: Tuples): Unit = {
    val m = r.size(3)
    into.reserve(m)
    val k = into.keys
    val g = into.gs
    val d = into.deltas
    readKeys(r, domain, m, k, distinct = false)
    r.varints(g, m)
    var n = 0L
    var i = 0
    while (i < m) {
      n = sum(r, n, requirePositive(r, g(i)))
      i += 1
    }
    val most = math.max(1L, Share.of(2 * epsilon, n))
    r.varints(d, m)
    var exact = true
    var rank = 0L
    var before = 0L // the greatest rank that the key before can have: it never falls, nor passes n
    i = 0
    while (i < m) {
      val delta = d(i)
      rank += g(i)
      val paired = i > 0 && k(i) == k(i - 1)
      if (paired) {
        if (delta != 0) throw r.corrupt("the second of two equal values has a Δ")
        if (i > 1 && k(i) == k(i - 2)) throw r.corrupt("three tuples have the same value")
      } else if (delta < 0 || delta > most - g(i)) throw r.corrupt("its error is above its epsilon")
      else {
        if (delta > n - rank || rank + delta < before) throw r.corrupt("its ranks contradict one another")
        before = rank + delta
        if (g(i) + delta > 1) exact = false
      }
      i += 1
    }
    if (m == 0 || g(0) != 1 || d(0) != 0 || d(m - 1) != 0)
      throw r.corrupt("its minimum or maximum is not exact")
    into.size = m
    into.count = n
    into.isThinned = !exact
  }
}
