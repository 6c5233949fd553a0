package chronosketch.quantile

import java.util.Arrays

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.counted.CountedKeys
import chronosketch.domain.Domain
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.{Family, Meter, Ranked, Summary}

/** Which value has a given rank, and how wrong can that be, after seeing every value once?
  *
  * Guarantee  rank error ≤ ε·n for every φ, after any inserts and merges; 0 (all values kept, with their counts) where ε is
  *            0, n ≤ 2/ε or there are at most 1/ε distinct keys. Holds always.
  * Cost       insert amortised O(log 1/ε); merge O((m₁ + m₂)·log εn); m ≤ 2.5/ε tuples on random and sorted input, about
  *            log₂(εn)/ε on a zigzag, brought to 4/ε where a merge leaves more than 8/ε, if dropping can; 10 bytes a tuple stored:
  *            21 kB at ε = 1e-3 and 10⁷ lognormal values
  * Units      keys of `domain`; ranks start at 1
  * Merge      legal when the value types widen; the larger ε counts
  * Source     Greenwald, Khanna 2001; Luo, Wang, Yi, Cormode, Quantiles over data streams, VLDB J. 2016, §3 (GKArray);
  *            departs: ties, two drop limits, absorption, merge limit (docs/algorithms.md, Greenwald–Khanna)
  *
  * Tuples (v, g, Δ) in order of v: r_min(i) = Σ_{j≤i} g_j, r_max(i) = r_min(i) + Δ_i. At most two tuples have one v; of such a
  * pair only r_max of the first and r_min of the last are ever used, so the last's Δ is 0 and its g without limit. The first
  * tuple is the minimum with g = 1, Δ = 0; the last is the maximum.
  */
final class GreenwaldKhanna(initialDomain: Domain, initialEpsilon: Double) extends Summary with Ranked {
  private var currentDomain = initialDomain
  private var currentEpsilon = initialEpsilon

  // the tuples: elements 0 until size
  private[chronosketch] var keys: Array[Long] = GreenwaldKhanna.Nothing
  private[chronosketch] var gs: Array[Long] = GreenwaldKhanna.Nothing
  private[chronosketch] var deltas: Array[Long] = GreenwaldKhanna.Nothing
  private[chronosketch] var size = 0
  private var summarised = 0L

  // whether tuples were ever dropped: until then every element is known, and nothing is absorbed
  private var thinned = false

  // values not yet in the tuples, in order of arrival
  private var buffer: Array[Long] = new Array[Long](GreenwaldKhanna.SmallestBuffer)
  private var buffered = 0

  // the first of them that are in order and stand for tuples of one element each, which are made when they are needed: a bag
  // that goes from bytes to bytes, or to an answer, takes a third of the room. None where there are tuples.
  private var settled = 0

  // values of many copies, not yet in the tuples: distinct from buffer so that a copy costs nothing
  private var heavy: HeavyBuffer = null

  // how often the tuples' keys have changed: what the thread's index was built from
  private var version = 0L
  private var cachedProfile: RankProfile = null

  private var meter: Meter = null
  private var metered = 0L

  def family: Family = QuantileSketch
  def domain: Domain = currentDomain
  def epsilon: Double = currentEpsilon
  def parameters: Array[Double] = Array(currentEpsilon)
  def count: Long = {
    val total = summarised + buffered + (if (heavy == null) 0L else heavy.count)
    // copies are checked as they come; a single value passes the limit unseen until it is counted
    if (total < 0) throw GreenwaldKhanna.overflow
    total
  }

  private def requireCount(): Unit = { count; () }

  /** Tuples held, after what is buffered has been summarised. */
  def tuples: Int = { flush(); size }

  def insert(key: Long): Unit = {
    if (buffered == buffer.length) makeRoom()
    buffer(buffered) = key
    buffered += 1
  }

  override def insertAll(from: Array[Long], begin: Int, until: Int): Unit = {
    var i = begin
    while (i < until) {
      if (buffered == buffer.length) makeRoom()
      val n = math.min(until - i, buffer.length - buffered)
      System.arraycopy(from, i, buffer, buffered, n)
      buffered += n
      i += n
    }
  }

  def insert(key: Long, copies: Long): Unit =
    if (copies < GreenwaldKhanna.HeavyCopies) {
      var i = copies
      while (i > 0) { insert(key); i -= 1 }
    } else {
      if (Long.MaxValue - count < copies) throw GreenwaldKhanna.overflow
      if (heavy == null || heavy.isFull) makeHeavyRoom()
      heavy.add(key, copies)
    }

  private def makeHeavyRoom(): Unit =
    if (heavy != null && !heavy.grow(capacity)) flushHeavy()
    else {
      if (heavy == null) heavy = new HeavyBuffer(GreenwaldKhanna.SmallestBuffer)
      report()
    }

  /** Values held back before they are sorted in: as many as there are tuples, or half of that, so that a value costs no more than
    * a few tuples of the pass over all of them, even where they are many: in exact mode, after merges, on a zigzag.
    */
  private def capacity: Int = GreenwaldKhanna.capacity(currentEpsilon, size)

  private def makeRoom(): Unit = {
    requireCount()
    unsettle()
    if (buffered == buffer.length) makeRoomFor(capacity)
  }

  private def makeRoomFor(most: Int): Unit =
    if (buffer.length < most) {
      buffer = Arrays.copyOf(buffer, math.min(most.toLong, buffer.length * 4L).toInt)
      report()
    } else {
      if (summarised >= GreenwaldKhanna.AbsorbFrom * most && size > 2) absorb()
      // what is left of an absorbed buffer is cheaper to keep until it is half full
      if (buffered * 2 > buffer.length) flushBuffer()
    }

  /** Everything seen is in the tuples. */
  private def flush(): Unit = {
    requireCount()
    flushBuffer()
    flushHeavy()
  }

  private def flushBuffer(): Unit = {
    unsettle()
    if (buffered > 0) summariseBuffer()
  }

  private def summariseBuffer(): Unit = {
    val union = GreenwaldKhanna.scratch.get()
    union.sorting.sort(buffer, buffered)
    union.insert(this, buffer, buffered)
    summarised += buffered
    buffered = 0
    take(union)
  }

  private def flushHeavy(): Unit = if (heavy != null && heavy.count > 0) {
    unsettle()
    val bag = heavy.bag(new GreenwaldKhanna(currentDomain, currentEpsilon))
    val union = GreenwaldKhanna.scratch.get()
    union.combine(this, bag.keys, bag.gs, bag.deltas, bag.size)
    summarised += heavy.count
    heavy.clear()
    take(union)
  }

  /** Whether nothing has been summarised, and summarising all would drop nothing. */
  private def isBag: Boolean = isBagAt(currentEpsilon)

  private def isBagAt(epsilon: Double): Boolean = size == 0 && (heavy == null || heavy.count == 0) &&
    (settled == buffered || buffered <= 2 / epsilon)

  /** Brings a bag in order. */
  private def settle(): Unit = if (settled < buffered) {
    GreenwaldKhanna.scratch.get().sorting.sort(buffer, buffered)
    settled = buffered
    changed()
  }

  /** Whether a bag in order is held beside what is here: as tuples [[unite]] would drop none, and they are not few. */
  private def isJoined(bag: Array[Long], n: Int, epsilon: Double): Boolean =
    isBag && n <= GreenwaldKhanna.mostSettled(currentEpsilon) - buffered &&
      !GreenwaldKhanna.isSmall(epsilon, GreenwaldKhanna.tuplesOf(bag, n))

  /** The union with n keys in order, both being bags. */
  private def join(bag: Array[Long], n: Int): Unit = {
    settle()
    val held = buffer
    val m = buffered
    val all = new Array[Long](math.max(GreenwaldKhanna.SmallestBuffer, m + n))
    var i, j, o = 0
    while (i < m && j < n) {
      val ours = held(i)
      val theirs = bag(j)
      // a coin toss: computed, not branched on
      val fromHeld = if (ours <= theirs) 1 else 0
      all(o) = math.min(ours, theirs)
      i += fromHeld
      j += 1 - fromHeld
      o += 1
    }
    System.arraycopy(held, i, all, o, m - i)
    System.arraycopy(bag, j, all, o + m - i, n - j)
    buffer = all
    buffered = m + n
    settled = buffered
    changed()
    report()
  }

  /** What is settled becomes tuples. */
  private def unsettle(): Unit = if (settled > 0) {
    val k, g = new Array[Long](settled)
    var o = 0
    var i = 0
    while (i < settled) {
      if (i > 1 && buffer(i) == buffer(i - 2)) g(o - 1) += 1
      else {
        k(o) = buffer(i)
        g(o) = 1L
        o += 1
      }
      i += 1
    }
    buffered -= settled
    val room = math.max(buffered, math.min(buffer.length, capacity))
    val rest = if (room < buffer.length) new Array[Long](room) else buffer
    System.arraycopy(buffer, settled, rest, 0, buffered)
    buffer = rest
    val n = settled.toLong
    settled = 0
    restore(k, g, new Array[Long](k.length), o, n)
  }

  private def take(union: TupleScratch): Unit = {
    // up to 2/ε tuples all stay: 1/ε distinct keys are exact, however often and in whatever order each comes
    if (union.length > 2 / currentEpsilon) thinned = true
    if (thinned) union.drop(insertLimit)
    assign(union)
  }

  private def assign(union: TupleScratch): Unit = {
    val m = union.length
    if (keys.length < m || keys.length > 2 * m + 64) {
      val room = m + m / 4
      keys = new Array[Long](room)
      gs = new Array[Long](room)
      deltas = new Array[Long](room)
      report()
    }
    union.copyTo(keys, gs, deltas)
    size = m
    changed()
  }

  private def changed(): Unit = {
    version += 1
    cachedProfile = null
  }

  /** E: what g + Δ may be while inserting: half of what merging may use. */
  private def insertLimit: Long = GreenwaldKhanna.share(currentEpsilon, summarised)

  /** Counts buffered values into their successors where their g + Δ allows, as if inserted and dropped at once. */
  private def absorb(): Unit = {
    val limit = if (thinned) insertLimit else 0L
    val k = keys
    val g = gs
    val d = deltas
    val b = buffer
    val n = buffered
    val first = k(0)
    val last = k(size - 1)
    var i = 0
    while (i < n && (b(i) <= first || b(i) > last)) i += 1
    var kept = i
    // new minima or maxima all: no index is needed
    val index = if (i < n) GreenwaldKhanna.scratch.get().indexOf(keys, size, version) else null
    while (i < n) {
      val key = b(i)
      var absorbed = false
      if (key > first && key <= last) {
        val s = index.successor(key)
        if (k(s) == key && s + 1 < size && k(s + 1) == key) { g(s + 1) += 1; absorbed = true }
        else if (g(s) + d(s) < limit) { g(s) += 1; absorbed = true }
      }
      if (!absorbed) { b(kept) = key; kept += 1 }
      i += 1
    }
    summarised += n - kept
    buffered = kept
    cachedProfile = null
  }

  def merge(other: Summary): Unit = {
    requireSameFamily(other)
    val that = other.asInstanceOf[GreenwaldKhanna]
    if (that eq this) throw new IllegalArgumentException("a summary can't be merged into itself")
    val wider = currentDomain.widenOrRefuse(that.currentDomain)
    if (Long.MaxValue - count < that.count) throw GreenwaldKhanna.overflow
    // from here on nothing is refused: what a refusal leaves behind is as it was
    currentDomain = wider
    currentEpsilon = math.max(currentEpsilon, that.currentEpsilon)
    if (that.size == 0 && that.heavy == null && that.settled == 0)
      insertAll(that.buffer, 0, that.buffered)
    else {
      // to be a bag in order or tuples is to be the same
      if (that.isBag) that.settle() else that.flush()
      if (that.settled > 0 && isJoined(that.buffer, that.buffered, that.currentEpsilon))
        join(that.buffer, that.buffered)
      else uniteAll(that)
    }
  }

  private def uniteAll(that: GreenwaldKhanna): Unit = {
    that.flush()
    if (GreenwaldKhanna.isSmall(that.currentEpsilon, that.size) && that.isExact)
      insertTuples(that.keys, that.gs, that.size)
    else if (that.size > 0)
      unite(that.keys, that.gs, that.deltas, that.size, that.summarised, that.thinned)
  }

  override def mergeStored(
      reader: Wire.Reader,
      storedDomain: Domain,
      storedParameters: Array[Double]
  ): Unit = {
    val that = GreenwaldKhanna.scratch.get().stored
    val storedEpsilon = storedParameters(0)
    that.reserve(GreenwaldKhanna.mostInserted(storedEpsilon))
    val bag = reader.fork()
    val few = GreenwaldKhanna.readFew(bag, storedDomain, storedEpsilon, that.keys)
    val n = if (few >= 0) few else readJoining(reader, bag, storedDomain, storedEpsilon, that)
    if (n < 0) GreenwaldKhannaWire.decode(reader, storedDomain, storedEpsilon, that)
    (if (n < 0) reader else bag).requireEnd()
    val wider = currentDomain.widenOrRefuse(storedDomain)
    if (Long.MaxValue - count < (if (n < 0) that.count else n.toLong)) throw GreenwaldKhanna.overflow
    // from here on nothing is refused, as in merge
    currentDomain = wider
    currentEpsilon = math.max(currentEpsilon, storedEpsilon)
    if (few >= 0) insertAll(that.keys, 0, n)
    else if (n >= 0) join(that.keys, n)
    else if (GreenwaldKhanna.isSmall(storedEpsilon, that.size) && that.isExact)
      insertTuples(that.keys, that.gs, that.size)
    else unite(that.keys, that.gs, that.deltas, that.size, that.count, !that.isExact)
    that.trim()
  }

  /** The elements of a stored bag that is joined as it is; otherwise −1. */
  private def readJoining(
      reader: Wire.Reader,
      bag: Wire.Reader,
      storedDomain: Domain,
      storedEpsilon: Double,
      into: StoredTuples
  ): Int = {
    bag.goTo(reader)
    val epsilon = math.max(currentEpsilon, storedEpsilon)
    val most = GreenwaldKhanna.mostSettled(epsilon) - buffered
    val n = if (isBagAt(epsilon)) GreenwaldKhannaWire.readSettled(bag, storedDomain, most, into) else -1
    if (n >= 0 && GreenwaldKhanna.isSmall(storedEpsilon, GreenwaldKhanna.tuplesOf(into.keys, n))) -1 else n
  }

  /** In a pair the first is one copy, the last the others. */
  private def insertTuples(k: Array[Long], g: Array[Long], m: Int): Unit = {
    var i = 0
    while (i < m) { insert(k(i), g(i)); i += 1 }
  }

  private def unite(
      k: Array[Long],
      g: Array[Long],
      d: Array[Long],
      m: Int,
      n: Long,
      wereThinned: Boolean
  ): Unit = {
    flush()
    val union = GreenwaldKhanna.scratch.get()
    union.combine(this, k, g, d, m)
    summarised += n
    thinned |= wereThinned
    if (currentEpsilon > 0 && union.length > 8 / currentEpsilon) {
      thinned = true
      union.dropTo((4 / currentEpsilon).toInt, GreenwaldKhanna.share(2 * currentEpsilon, summarised))
    }
    assign(union)
  }

  /** [[merge]], with every tuple of both. */
  private[chronosketch] def unite(that: GreenwaldKhanna): Unit = {
    flush()
    that.flush()
    val union = GreenwaldKhanna.scratch.get()
    union.combine(this, that.keys, that.gs, that.deltas, that.size)
    summarised += that.summarised
    thinned |= that.thinned
    assign(union)
  }

  /** Down to `most` tuples, or as near as ε allows, for one that will be merged rather than inserted into. */
  private[chronosketch] def thin(most: Int): Unit = {
    flush()
    if (size > most) {
      thinned = true
      val union = GreenwaldKhanna.scratch.get()
      union.insert(this, GreenwaldKhanna.Nothing, 0)
      union.dropTo(most, GreenwaldKhanna.share(2 * currentEpsilon, summarised))
      assign(union)
    }
  }

  override def meteredBy(owner: Meter): Unit = {
    if (meter != null) meter.add(-metered)
    meter = owner
    metered = 0L
    report()
  }

  private[chronosketch] def sizeBytes: Long =
    Meter.ObjectBytes + Meter.longs(buffer.length) + 3 * Meter.longs(keys.length) +
      (if (heavy == null) 0L else heavy.bytes)

  private def report(): Unit = if (meter != null) {
    val held = sizeBytes
    meter.add(held - metered)
    metered = held
  }

  private def isExact: Boolean = {
    var i = 0
    while (i < size && ((i > 0 && keys(i) == keys(i - 1)) || gs(i) + deltas(i) <= 1)) i += 1
    i == size
  }

  def profile: RankProfile = {
    requireCount()
    if (isBag) settle() else flush()
    if (cachedProfile == null)
      cachedProfile =
        if (size == 0) GreenwaldKhanna.profileOf(buffer, buffered)
        else GreenwaldKhanna.profileOf(keys, gs, deltas, size)
    cachedProfile
  }

  override def quantile(phi: Phi): Long =
    if (buffered > 0 && isBag) {
      settle()
      buffer(phi.rank(buffered.toLong).toInt - 1)
    } else profile.quantile(phi)

  def write(writer: Wire.Writer): Unit =
    if (isBag) {
      settle()
      GreenwaldKhannaWire.writeBag(writer, buffer, buffered)
    } else {
      flush()
      GreenwaldKhannaWire.write(writer, this)
    }

  /** The first n of an array, which are in order, as if each had been inserted and then summarised without a loss. */
  private[chronosketch] def restoreBag(bag: Array[Long], n: Int): Unit = join(bag, n)

  /** Every key with its number of copies. */
  private[chronosketch] def restoreCounts(counted: CountedKeys): Unit = {
    val m = counted.onceOrTwice.toInt
    val distinct = counted.distinct
    val k, g = new Array[Long](m)
    val keysThere, copies = new Array[Long](distinct)
    counted.copyTo(keysThere, copies)
    var o = 0
    var i = 0
    while (i < distinct) {
      k(o) = keysThere(i)
      g(o) = 1L
      o += 1
      if (copies(i) > 1) {
        k(o) = keysThere(i)
        g(o) = copies(i) - 1
        o += 1
      }
      i += 1
    }
    restore(k, g, new Array[Long](m), m, counted.total)
  }

  /** The keys at the ranks 1, 1 + step, …, and the last. */
  private[chronosketch] def restoreRanks(counted: CountedKeys, step: Long): Unit = {
    val n = counted.total
    val most = (n / step + 3).toInt
    val k, g = new Array[Long](most)
    var m = 0
    var last = 0L
    counted.rewind()
    while (last < n) {
      val rank = if (last == 0) 1L else if (n - last < step) n else last + step
      val key = counted.seek(rank)
      if (m > 1 && k(m - 1) == key && k(m - 2) == key) g(m - 1) += rank - last
      else {
        k(m) = key
        g(m) = rank - last
        m += 1
      }
      last = rank
    }
    restore(k, g, new Array[Long](most), m, n)
  }

  /** The tuples that were read from bytes, in arrays of one length. */
  private[chronosketch] def restore(k: Array[Long], g: Array[Long], d: Array[Long], m: Int, n: Long): Unit = {
    keys = k
    gs = g
    deltas = d
    size = m
    summarised = n
    thinned = !isExact
    changed()
    report()
  }
}

object GreenwaldKhanna {
  private[chronosketch] val Nothing = new Array[Long](0)
  private val SmallestBuffer = 8

  /** From here on a value's copies are counted, not inserted one by one. */
  private[chronosketch] val HeavyCopies = 4L

  /** Buffers summarised before the next one is looked up in the tuples: earlier so few values are absorbed that sorting all of
    * them is quicker.
    */
  private val AbsorbFrom = 4L

  /** Two arrays' worth in a Java array. */
  private[chronosketch] val MostTuples = Int.MaxValue - 16

  private def capacity(epsilon: Double, size: Int): Int =
    if (epsilon == 0.0) math.max(1024, math.min(size, MostTuples / 2))
    else {
      var values = math.max(256, math.min(1 << 20, (2.0 / epsilon).toInt))
      while (values < size / 2) values *= 2
      values
    }

  /** How many tuples tell a bag in order: two of each key at most. */
  private def tuplesOf(bag: Array[Long], n: Int): Int = {
    var tuples = math.min(n, 2)
    var i = 2
    while (i < n) { if (bag(i) != bag(i - 2)) tuples += 1; i += 1 }
    tuples
  }

  /** How many elements a bag may have that is held without tuples: as many tuples as a merge leaves; more than a million are no
    * gain.
    */
  private[chronosketch] def mostSettled(epsilon: Double): Int =
    math.min(8 / epsilon, (1 << 20).toDouble).toInt

  /** Whether so few tuples, if they are exact, are inserted rather than united: that beats a pass over the tuples of another. */
  private[chronosketch] def isSmall(epsilon: Double, tuples: Int): Boolean =
    tuples <= capacity(epsilon, tuples) / 8

  private def mostInserted(epsilon: Double): Int = capacity(epsilon, 0) / 8

  /** The elements of a stored sketch where merging it is inserting them in this order, none of them counted; otherwise −1. */
  private[chronosketch] def readFew(r: Wire.Reader, domain: Domain, epsilon: Double, into: Array[Long]): Int =
    // one copy is inserted, then the others: as long as these are not counted but inserted too
    GreenwaldKhannaWire.readBag(r, domain, into, math.min(into.length, mostInserted(epsilon)), HeavyCopies)

  private def overflow: Refusal = Refusal("CHRONOSKETCH_COUNT_OVERFLOW", "limit" -> Long.MaxValue.toString)

  private[chronosketch] val scratch: ThreadLocal[TupleScratch] =
    ThreadLocal.withInitial(() => new TupleScratch)

  /** ⌊epsilon·n⌋ of the real numbers that the arguments are: one rounding up would break the promise that parts' shares add
    * up to at most the whole's.
    */
  private[chronosketch] def share(epsilon: Double, n: Long): Long = {
    val product = epsilon * n.toDouble
    if (product >= (1L << 52).toDouble || n > (1L << 53)) {
      new java.math.BigDecimal(epsilon).multiply(java.math.BigDecimal.valueOf(n)).toBigInteger.longValueExact
    } else {
      val floor = product.toLong
      if (floor.toDouble == product && Math.fma(epsilon, n.toDouble, -product) < 0) floor - 1 else floor
    }
  }

  /** The profile of a bag in order: ranks are certain. */
  private def profileOf(bag: Array[Long], n: Int): RankProfile = {
    var distinct = 0
    var i = 0
    while (i < n) {
      if (i + 1 == n || bag(i) != bag(i + 1)) distinct += 1
      i += 1
    }
    val k, atMost = new Array[Long](distinct)
    distinct = 0
    i = 0
    while (i < n) {
      if (i + 1 == n || bag(i) != bag(i + 1)) {
        k(distinct) = bag(i)
        atMost(distinct) = i + 1L
        distinct += 1
      }
      i += 1
    }
    RankProfile.certain(distinct, k, atMost, atMost, n.toLong)
  }

  private def profileOf(keys: Array[Long], gs: Array[Long], deltas: Array[Long], size: Int): RankProfile = {
    val k, low, high = new Array[Long](size)
    var distinct = 0
    var rank = 0L
    var i = 0
    while (i < size) {
      val first = distinct == 0 || k(distinct - 1) != keys(i)
      rank += gs(i)
      if (first) {
        // r_max(first tuple > x) − 1 for the x up to here
        if (distinct > 0) high(distinct - 1) = rank + deltas(i) - 1
        k(distinct) = keys(i)
        distinct += 1
      }
      low(distinct - 1) = rank
      i += 1
    }
    if (distinct > 0) high(distinct - 1) = rank
    RankProfile.certain(distinct, k, low, high, rank)
  }
}
