package chronosketch.quantile

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.domain.Domain

/** Encodes and decodes the payload of a quantile sketch, as described in docs/format.md. */
private[chronosketch] object GreenwaldKhannaWire {
  private val ExactBag = 0
  private val TupleList = 1

  /** An upper estimate of the bytes per key and its count: that of twenty doubles of one magnitude; more keys take fewer bytes each.
    * If it is exceeded, the writer only has to allocate another array.
    */
  val BytesPerKey = 9
  private val BytesPerTuple = 10

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
    w.expect(if (exact) BytesPerKey.toLong * distinct else BytesPerTuple.toLong * size)
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

  /** Writes n sorted keys as [[write]] writes their tuples. */
  def writeBag(w: Wire.Writer, keys: Array[Long], n: Int): Unit = {
    var distinct = math.min(n, 1)
    var i = 1
    while (i < n) {
      distinct += (if (keys(i) != keys(i - 1)) 1 else 0)
      i += 1
    }
    w.expect(BytesPerKey.toLong * distinct)
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

  def read(r: Wire.Reader, recipe: QuantileRecipe, scratch: Scratch): GreenwaldKhanna = {
    val sketch = recipe.empty
    val bag = r.fork()
    val room = scratch.stored
    val most = BagLimit.mostWithoutTuples(recipe.epsilon)
    val n = readSorted(bag, recipe.domain, most, Long.MaxValue, room)
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

  /** Reads the sorted elements of an exact bag into `into.keys` and returns their number; −1 if this is not an exact bag, it has more
    * than `most` elements, a key has more than `mostCopies`, or the elements take more memory than tuples would.
    */
  def readSorted(
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

  /** Decodes a payload into tuples whose arrays may have been used before. After a refusal their contents are undefined. */
  def decode(r: Wire.Reader, header: QuantileRecipe, into: Tuples): Unit =
    r.byte() match {
      case ExactBag => readExact(r, header.domain, into)
      case TupleList => readTuples(r, header.domain, header.tolerance, into)
      case other => throw r.corrupt(s"its payload has an unknown form ($other)")
    }

  /** Reads the sorted elements of an exact bag and returns their number; −1 if this is not an exact bag, it has more than `most`
    * elements, or a key has more than `mostCopies`.
    */
  def readBag(r: Wire.Reader, domain: Domain, keys: Array[Long], most: Int, mostCopies: Long): Int =
    if (r.byte() != ExactBag) -1
    else {
      val m = r.size(2)
      if (m > most) -1
      else {
        readKeys(r, domain, m, keys, distinct = true)
        if (r.skipOnes(m)) m else readCopies(r, keys, m, most, mostCopies)
      }
    }

  /** Reads the counts of m keys and repeats each key as often as its count says. Returns the number of elements; −1 if a key has more than
    * `mostCopies`, or they are more than `most`.
    */
  private def readCopies(r: Wire.Reader, keys: Array[Long], m: Int, most: Int, mostCopies: Long): Int = {
    val counts = r.fork()
    var n = 0L
    var i = 0
    while (i < m && n >= 0) {
      val copies = positive(r)
      // a count too large for this bag may be valid or corrupt: the decoder that reads it next decides that
      n = if (copies > mostCopies || copies > most - n) -1L else n + copies
      i += 1
    }
    if (n > m) spread(keys, m, counts, n.toInt)
    n.toInt
  }

  /** Repeats each of m keys as often as its count says, in place. */
  private def spread(keys: Array[Long], m: Int, counts: Wire.Reader, n: Int): Unit = {
    // the keys move to the right end first, so that the copies, filled in from the left, overwrite no key that is not yet read
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

  /** Reads m keys and checks their order and their domain. Differences are unsigned: a key below the one before it means that the
    * sum overflowed.
    */
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
    // all Δ are 0, so their array can hold the keys until the end
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

  private def readTuples(r: Wire.Reader, domain: Domain, tolerance: Tolerance, into: Tuples): Unit = {
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
    val most = tolerance.mostUncertain(n)
    r.varints(d, m)
    var exact = true
    var rank = 0L
    var before = 0L // r_max of the key before, which must not fall from key to key nor exceed n
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
    if (!tolerance.holds(into)) throw r.corrupt("its error is above that of its tail")
  }
}

/** A stored sketch that is read to be merged into another one. Its arrays belong to the scratch, and are valid until the next stored
  * sketch is read.
  */
private[quantile] sealed abstract class StoredPart {

  /** The number of elements. */
  def count: Long
}

private[quantile] object StoredPart {

  /** The elements are the first n keys, which are to be inserted one by one. */
  final case class Inserted(keys: Array[Long], n: Int) extends StoredPart {
    def count: Long = n.toLong
  }

  /** The elements are the first n keys, which are sorted and to be merged into the bag. */
  final case class Sorted(keys: Array[Long], n: Int) extends StoredPart {
    def count: Long = n.toLong
  }

  /** The tuples are to be united with those of the other sketch. */
  final case class United(tuples: Tuples) extends StoredPart {
    def count: Long = tuples.count
  }

  /** Reads a stored sketch. Refuses what [[QuantileRecipe.read]] refuses, and bytes after the payload.
    *
    * @param mostMerged
    *   the most sorted keys that the other sketch can merge into its bag; −1 if it is not a bag
    */
  def read(stored: QuantileRecipe, reader: Wire.Reader, mostMerged: Int, scratch: Scratch): StoredPart = {
    val tuples = scratch.stored
    tuples.reserve(MergeLimit.mostInserted(stored.epsilon))
    val small = reader.fork()
    val few = stored.readFew(small, tuples.keys)
    val sorted = if (few < 0 && mostMerged >= 0) readSorted(stored, reader, small, mostMerged, tuples) else -1
    val inserted = if (few < 0 && sorted < 0) readInserted(stored, reader, small, tuples) else few
    if (sorted >= 0 || inserted >= 0) {
      small.requireEnd()
      if (sorted >= 0) Sorted(tuples.keys, sorted) else Inserted(tuples.keys, inserted)
    } else {
      GreenwaldKhannaWire.decode(reader, stored, tuples)
      reader.requireEnd()
      United(tuples)
    }
  }

  /** Reads sorted keys with `small` and returns their number; −1 if they are too many, or so few that they are inserted. */
  private def readSorted(
      stored: QuantileRecipe,
      reader: Wire.Reader,
      small: Wire.Reader,
      most: Int,
      into: Tuples
  ): Int = {
    small.goTo(reader)
    val n = GreenwaldKhannaWire.readSorted(small, stored.domain, most, Long.MaxValue, into)
    if (n >= 0 && MergeLimit.isSmall(stored.epsilon, into.keys, n)) -1 else n
  }

  /** Reads keys with `small` if they can be inserted one by one: a key with many copies would have to be kept with its count. */
  private def readInserted(
      stored: QuantileRecipe,
      reader: Wire.Reader,
      small: Wire.Reader,
      into: Tuples
  ): Int = {
    small.goTo(reader)
    val most = BagLimit.mostWithoutTuples(stored.epsilon)
    GreenwaldKhannaWire.readSorted(small, stored.domain, most, GreenwaldKhanna.FewestHeavy, into)
  }
}
