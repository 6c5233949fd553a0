package chronosketch.quantile

import chronosketch.codec.Wire
import chronosketch.counted.{CountedKeys, ElementCount, Share, SortedKeys}
import chronosketch.domain.Domain
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.{Arrived, Family, Header, Inserts, Ranked, Summary}

/** Which value has a given rank, and how wrong can that be, after seeing every value once?
  *
  * Guarantee  rank error ≤ ε·n for every φ, after any inserts and merges; 0 (all values kept, with their counts) where ε is
  *            0, n ≤ 2/ε or there are at most 1/ε distinct keys. Holds always.
  * Cost       insert amortised O(log 1/ε); merge O(m·log εn) amortised over many; m ≤ 2/ε tuples on random and sorted input, 4/ε
  *            more on a zigzag ([[Crowds]]), brought to 2.8/ε … 6/ε where merges leave more than 8/ε, if it can be; 10 bytes a tuple stored:
  *            11 kB at ε = 1e-3 and 10⁷ lognormal values
  * Units      keys of `domain`; ranks start at 1
  * Merge      legal when the value types widen; the larger ε counts
  * Source     Greenwald, Khanna 2001; Luo, Wang, Yi, Cormode, Quantiles over data streams, VLDB J. 2016, §3 (GKArray);
  *            departs: ties, batches, crowds, merge limits (docs/algorithms.md, Greenwald–Khanna)
  *
  * A value waits in the [[Bag]], or among the [[HeavyCopies]] where it comes with many copies, and a merged sketch's tuples among the
  * [[WaitingTuples]], until all of them are put into the [[Tuples]] at once. Of values that come later [[CellCounts]] keeps the counts alone. A sketch that is small stays a bag: [[isBag]].
  */
final class GreenwaldKhanna private[quantile] (recipe: QuantileRecipe)
    extends CountedBag
    with Summary
    with Inserts
    with Ranked
    with Metered {
  type Same = GreenwaldKhanna

  private var currentDomain = recipe.domain
  private var currentEpsilon = recipe.epsilon

  private[chronosketch] val summarised = new Tuples

  // null until a value of many copies comes
  private var heavy: HeavyCopies = null

  // null until a sketch comes that is neither inserted nor joined
  private var parts: WaitingTuples = null

  private var cachedProfile: RankProfile = null

  def this(domain: Domain, epsilon: Double) = this(QuantileRecipe(domain, epsilon))

  def family: Family[GreenwaldKhanna] = QuantileSketch
  def domain: Domain = currentDomain
  def epsilon: Double = currentEpsilon
  def header: Header[GreenwaldKhanna] = currentRecipe
  def fresh: GreenwaldKhanna = currentRecipe.empty
  def count: Long =
    ElementCount.of(
      summarised.count + bagSize + (if (heavy == null) 0L else heavy.count) +
        inCells + (if (parts == null) 0L else parts.count)
    )

  private def currentRecipe: QuantileRecipe =
    if ((recipe.domain eq currentDomain) && recipe.epsilon == currentEpsilon) recipe
    else QuantileRecipe(currentDomain, currentEpsilon)

  private def requireCount(): Unit = { count; () }

  /** Tuples held, after what waits has been summarised. */
  def tuples: Int = { flush(); summarised.size }

  def insert(key: Long): Unit = {
    val keys = bagKeys
    val n = bagSize
    // one comparison serves the JIT for the array's bounds too
    if (n < keys.length) {
      keys(n) = key
      bagSize = n + 1
    } else insertFull(key)
  }

  private def insertFull(key: Long): Unit = {
    makeRoom()
    bagKeys(bagSize) = key
    bagSize += 1
  }

  def insertAll(from: Array[Long], begin: Int, until: Int): Unit = {
    var i = begin
    while (i < until) {
      if (isFull) makeRoom()
      val n = math.min(until - i, bagKeys.length - bagSize)
      System.arraycopy(from, i, bagKeys, bagSize, n)
      bagSize += n
      i += n
    }
  }

  def insert(key: Long, copies: Long): Unit =
    if (copies < GreenwaldKhanna.FewestHeavy) {
      var i = copies
      while (i > 0) { insert(key); i -= 1 }
    } else {
      ElementCount.requireRoom(count, copies)
      if (heavy == null || heavy.isFull) makeHeavyRoom()
      heavy.add(key, copies)
    }

  private def makeHeavyRoom(): Unit =
    if (heavy != null && !heavy.grow(capacity)) flushHeavy()
    else {
      if (heavy == null) heavy = new HeavyCopies
      report()
    }

  private def capacity: Int = BagLimit.of(currentEpsilon, summarised)

  private def makeRoom(): Unit = {
    requireCount()
    unsettle()
    if (isFull && !countBag()) makeRoomFor(capacity)
  }

  private def makeRoomFor(most: Int): Unit =
    if (bagKeys.length < most) {
      growBag(most)
      report()
    } else if (summarised.isThinned) flushBag()
    else {
      if (summarised.isAbsorbing(bagSize)) absorb()
      // what is left of an absorbed bag is cheaper to keep until it is half full
      if (bagSize * 2 > bagKeys.length) flushBag()
    }

  /** Everything seen is in the tuples. */
  private def flush(): Unit = {
    requireCount()
    flushBag()
    flushCells()
    flushHeavy()
    if (parts != null) flushParts(isLast = true)
  }

  protected def flushBag(): Unit = {
    unsettle()
    outside = 0
    if (bagSize > 0) {
      if (summarised.isEmpty && bagSize > 2 / currentEpsilon) summariseBag()
      else if (summarised.isThinned && bagStep > 1) uniteBag()
      else {
        val union = TupleScratch.own
        union.sorting.sort(bagKeys, bagSize)
        union.insert(summarised, bagKeys, bagSize)
        summarised.count += bagSize
        bagSize = 0
        take(union)
      }
    }
  }

  /** Of a bag alone the ranks of all keys are certain: a few of them are enough. */
  private def summariseBag(): Unit = {
    val n = bagSize
    val limit = Share.of(currentEpsilon, n.toLong)
    val blocks = TupleScratch.own.blocks.tuples(bagKeys, n, limit, 2 / currentEpsilon)
    restore(if (blocks != null) blocks else ofCounts(sortedBag))
    bagSize = 0
    if (bagKeys.length > capacity) {
      bagKeys = new Array[Long](capacity)
      report()
    }
  }

  /** Summarises the bag by itself, and unites that with the tuples. */
  private def uniteBag(): Unit = {
    val union = TupleScratch.own
    val blocks = union.blocks.tuples(bagKeys, bagSize, bagStep, 0.0)
    union.insert(summarised, if (blocks != null) blocks else CountedTuples.atRanks(sortedBag, bagStep))
    summarised.count += bagSize
    bagSize = 0
    take(union)
  }

  /** How many of its elements a tuple of the bag has where it is summarised by itself: a quarter of what n allows more. The rest is left
    * to dropping: three of four new tuples go.
    */
  private def bagStep: Long = Share.of(currentEpsilon / 4, bagSize.toLong)

  private def sortedBag: SortedKeys = {
    TupleScratch.own.sorting.sort(bagKeys, bagSize)
    new SortedKeys(bagKeys, bagSize)
  }

  private def flushHeavy(): Unit = if (heavy != null && !heavy.isEmpty) {
    unsettle()
    val drained = heavy.drain()
    val union = TupleScratch.own
    union.combine(summarised, drained)
    summarised.count += drained.count
    take(union)
  }

  /** Whether nothing has been summarised, and summarising all would drop nothing. */
  private def isBag: Boolean = isBagAt(currentEpsilon)

  private def isBagAt(epsilon: Double): Boolean =
    hasOnlyBag && (settled == bagSize || bagSize <= 2 / epsilon)

  private def hasOnlyBag: Boolean =
    summarised.isEmpty && parts == null && (heavy == null || heavy.isEmpty)

  /** Whether all values wait one by one, and none of them is settled: merging it is inserting them in this order. */
  private def isInserts: Boolean = hasOnlyBag && settled == 0

  private[chronosketch] override def arrived(most: Int): Arrived =
    if (isInserts && bagSize <= most) new Arrived(bagKeys, bagSize) else null

  /** Brings a bag in order. */
  private def settle(): Unit = if (settleBag()) cachedProfile = null

  private def unsettle(): Unit = if (settled > 0) restore(unsettleBag(capacity))

  /** Whether n keys in order are held beside what is here: as tuples [[unite]] would drop none, and they are not few. */
  private def isJoined(keys: Array[Long], n: Int, epsilon: Double): Boolean =
    isBag && n <= BagLimit.mostSettled(currentEpsilon) - bagSize &&
      !MergeLimit.isSmall(epsilon, keys, n)

  /** The union with n keys in order, both being bags. */
  private def join(keys: Array[Long], n: Int): Unit = {
    settle()
    joinBag(keys, n)
    cachedProfile = null
    report()
  }

  protected def take(union: TupleScratch): Unit = {
    // up to 2/ε tuples all stay: 1/ε distinct keys are exact, however often and in whatever order each comes
    if (union.length > 2 / currentEpsilon) summarised.isThinned = true
    if (summarised.isThinned) {
      union.drop(insertLimit)
      // where merging has used more than inserting may, nothing can be dropped for a while
      if (MergeLimit.isLarge(union, currentEpsilon) && union.largest > insertLimit)
        MergeLimit.thinOnTheWay(union, currentEpsilon, summarised.count)
    }
    assign(union)
  }

  private def assign(union: TupleScratch): Unit = {
    if (summarised.assign(union)) report()
    cachedProfile = null
  }

  /** E: what g + Δ may be while inserting: half of what merging may use. */
  private def insertLimit: Long = Share.of(currentEpsilon, summarised.count)

  private def absorb(): Unit = {
    bagSize = summarised.absorb(bagKeys, bagSize)
    cachedProfile = null
  }

  protected def unite(that: GreenwaldKhanna, wider: Domain): Unit = {
    currentDomain = wider
    currentEpsilon = math.max(currentEpsilon, that.currentEpsilon)
    if (that.isInserts) insertAll(that.bagKeys, 0, that.bagSize)
    else if (that.isBag) {
      // to be a bag in order or tuples is to be the same
      that.settle()
      if (isJoined(that.bagKeys, that.bagSize, that.currentEpsilon)) join(that.bagKeys, that.bagSize)
      else {
        that.flush()
        insertOrUnite(that.summarised, that.currentEpsilon, true)
      }
    } else {
      that.flushBag()
      that.flushCells()
      that.flushHeavy()
      if (!that.summarised.isEmpty)
        insertOrUnite(that.summarised, that.currentEpsilon, that.summarised.isExact)
      if (that.parts != null) hold(_.addAll(that.parts))
    }
  }

  /** The union with a stored one. */
  private[quantile] def mergeStored(stored: QuantileRecipe, reader: Wire.Reader): Unit = {
    val wide = math.max(currentEpsilon, stored.epsilon)
    val mostJoined = if (isBagAt(wide)) BagLimit.mostSettled(wide) - bagSize else -1
    val part = new StoredPart(stored, reader, mostJoined)
    val wider = currentDomain.widenOrRefuse(stored.domain, QuantileSketch.ofValue(stored.numbers))
    ElementCount.requireRoom(count, part.count)
    // from here on nothing is refused, as in unite
    currentDomain = wider
    currentEpsilon = wide
    val that = part.tuples
    if (part.isJoined) join(that.keys, part.keys)
    else if (part.keys >= 0) insertAll(that.keys, 0, part.keys)
    else insertOrUnite(that, stored.epsilon, !that.isThinned)
    that.trim()
  }

  private def insertOrUnite(that: Tuples, epsilon: Double, isExact: Boolean): Unit =
    if (isExact && MergeLimit.isInserted(epsilon, that)) {
      // of a pair the first is one copy, the last the others
      var i = 0
      while (i < that.size) { insert(that.keys(i), that.gs(i)); i += 1 }
    } else hold(_.add(that))

  private def hold(more: WaitingTuples => Boolean): Unit = {
    val isNew = parts == null
    if (isNew) parts = new WaitingTuples
    cachedProfile = null
    if (more(parts) || isNew) report()
    if (parts.tuples > MergeLimit.mostWaiting(currentEpsilon)) flushParts(isLast = false)
  }

  /** What waits is united with the tuples, and thinned where they become too many; `isLast` where nothing more is known to come. */
  private def flushParts(isLast: Boolean): Unit = {
    unsettle()
    val isAlone = summarised.isEmpty && parts.size == 1
    val those = parts.drain(TupleScratch.own.waiting)
    val union = combine(those)
    those.trim()
    if (!isAlone) summarised.isThinned |= parts.thin(union, currentEpsilon, summarised.count, isLast)
    if (isLast) parts = null
    assign(union)
    report()
  }

  /** The tuples of both, before they are taken. */
  private def combine(that: Tuples): TupleScratch = {
    val union = TupleScratch.own
    union.combine(summarised, that)
    summarised.count += that.count
    summarised.isThinned |= that.isThinned
    union
  }

  private[chronosketch] def sizeBytes: Long =
    Meter.ObjectBytes + bagBytes + summarised.sizeBytes + (if (heavy == null) 0L else heavy.sizeBytes) +
      cellBytes + (if (parts == null) 0L else parts.sizeBytes)

  protected def heldBytes: Long = sizeBytes

  def profile: RankProfile = {
    requireCount()
    if (isBag) settle() else flush()
    if (cachedProfile == null)
      cachedProfile = if (summarised.isEmpty) bagProfile else summarised.profile
    cachedProfile
  }

  override def quantile(phi: Phi): Long =
    if (bagSize > 0 && isBag) {
      settle()
      bagKeys(phi.rank(bagSize.toLong).toInt - 1)
    } else profile.quantile(phi)

  def write(writer: Wire.Writer): Unit =
    if (isBag) {
      settle()
      GreenwaldKhannaWire.writeBag(writer, bagKeys, bagSize)
    } else {
      flush()
      GreenwaldKhannaWire.write(writer, summarised)
    }

  /** The first n of an array, which are in order, as if each had been inserted and then summarised without a loss. */
  private[quantile] def restoreBag(keys: Array[Long], n: Int): Unit = join(keys, n)

  /** The tuples of counted keys: exact where inserting one by one would be; else of the keys at every ⌊εn⌋-th rank, each of which
    * is certain.
    */
  private[quantile] def restoreCounts(counted: CountedKeys): Unit = restore(ofCounts(counted))

  private def ofCounts(counted: CountedKeys): Tuples =
    if (counted.onceOrTwice <= 2 / currentEpsilon) CountedTuples.exact(counted)
    else CountedTuples.atRanks(counted, Share.of(currentEpsilon, counted.total))

  /** Tuples that come from elsewhere, and are not used there again. */
  private[chronosketch] def restore(tuples: Tuples): Unit = {
    summarised.take(tuples)
    cachedProfile = null
    report()
  }
}

object GreenwaldKhanna {

  /** From here on a value's copies are counted, not inserted one by one. */
  private[quantile] val FewestHeavy = 4L
}
