package chronosketch.quantile

import chronosketch.codec.Wire
import chronosketch.counted.{CountedKeys, ElementCount, SortedKeys}
import chronosketch.domain.Domain
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.{BufferedKeys, Family, Header, Inserts, Ranked, Summary}

/** A quantile sketch with a certified rank error: answers quantiles and ranks after one pass over the values.
  *
  * Guarantee  rank error ≤ ε·n for every φ, always, after any inserts and merges. The sketch is exact (it keeps all values with
  *            their counts) if ε is 0, n ≤ 2/ε, or there are at most 1/ε distinct keys
  * Cost       insert amortised O(log 1/ε); merge O(m·log εn) amortised over many. m ≤ 2/ε tuples for random and sorted input, 4/ε
  *            more for a zigzag ([[DenseGaps]]). If merges leave more than 8/ε, tuples are dropped until 2.8/ε … 6/ε are left, if
  *            possible. 10 bytes per stored tuple: 11 kB at ε = 1e-3 and 10⁷ lognormal values
  * Units      keys of `domain`; ranks start at 1
  * Merge      if the value types have a common wider type; the larger ε counts
  * Source     Greenwald, Khanna 2001; Luo, Wang, Yi, Cormode, Quantiles over data streams, VLDB J. 2016, §3 (GKArray);
  *            departs: ties, batches, dense gaps, merge limits (docs/algorithms.md, Greenwald–Khanna)
  *
  * Inserted values are buffered in the [[Bag]], values with many copies in [[HeavyCopies]], and the tuples of merged sketches in
  * [[WaitingTuples]]. A flush moves all of them into the [[Tuples]] at once. Once there are many values, [[CellCounts]] keeps
  * only the counts of further ones. A small sketch consists of the bag alone: [[isBag]].
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

  // null until a value with many copies is inserted
  private var heavy: HeavyCopies = null

  // null until a sketch is merged that is neither inserted value by value nor merged into the bag
  private var waiting: WaitingTuples = null

  private var cachedProfile: RankProfile = null

  def this(domain: Domain, epsilon: Double) = this(QuantileRecipe(domain, epsilon))

  def family: Family[GreenwaldKhanna] = QuantileSketch
  def domain: Domain = currentDomain
  def epsilon: Double = currentEpsilon
  def header: Header[GreenwaldKhanna] = currentRecipe
  def newEmpty: GreenwaldKhanna = currentRecipe.empty
  def count: Long =
    ElementCount.checked(
      summarised.count + bagSize + (if (heavy == null) 0L else heavy.count) +
        countInCells + (if (waiting == null) 0L else waiting.count)
    )

  private def currentRecipe: QuantileRecipe =
    if ((recipe.domain eq currentDomain) && recipe.epsilon == currentEpsilon) recipe
    else QuantileRecipe(currentDomain, currentEpsilon)

  private def requireCount(): Unit = { count; () }

  /** The number of tuples, after a flush. */
  def tuples: Int = { flush(); summarised.size }

  def insert(key: Long): Unit = {
    val keys = bagKeys
    val n = bagSize
    // this comparison is the JIT's bounds check, too
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

  private def capacity: Int = BagLimit.capacity(currentEpsilon, summarised)

  private def makeRoom(): Unit = {
    requireCount()
    moveSortedToTuples()
    if (isFull && !countBag()) growOrFlush(capacity)
  }

  private def growOrFlush(most: Int): Unit =
    if (bagKeys.length < most) {
      growBag(most)
      report()
    } else if (summarised.isThinned) flushBag()
    else {
      if (summarised.isAbsorbing(bagSize)) absorb()
      // keep the remaining values until the bag is half full again; flushing fewer costs more
      if (bagSize * 2 > bagKeys.length) flushBag()
    }

  /** Moves everything that is buffered into the tuples. */
  private def flush(): Unit = {
    requireCount()
    flushBag()
    flushCells()
    flushHeavy()
    if (waiting != null) flushWaiting(isLast = true)
  }

  protected def flushBag(): Unit = {
    moveSortedToTuples()
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
        thinAndAssign(union)
      }
    }
  }

  /** Makes the first tuples from the bag. Since there are no others, all ranks are certain, and a few keys are enough. */
  private def summariseBag(): Unit = {
    val n = bagSize
    val limit = ElementCount.share(currentEpsilon, n.toLong)
    val blocks = TupleScratch.own.blocks.tuples(bagKeys, n, limit, 2 / currentEpsilon)
    restore(if (blocks != null) blocks else ofCounts(sortedBag))
    bagSize = 0
    if (bagKeys.length > capacity) {
      bagKeys = new Array[Long](capacity)
      report()
    }
  }

  /** Summarises the bag by itself and unites the result with the tuples. */
  private def uniteBag(): Unit = {
    val union = TupleScratch.own
    val blocks = union.blocks.tuples(bagKeys, bagSize, bagStep, 0.0)
    union.insert(summarised, if (blocks != null) blocks else CountedTuples.atRanks(sortedBag, bagStep))
    summarised.count += bagSize
    bagSize = 0
    thinAndAssign(union)
  }

  /** The number of elements per tuple when the bag is summarised by itself: a quarter of what its elements add to ε·n. That leaves
    * room for drops: three of four new tuples are dropped.
    */
  private def bagStep: Long = ElementCount.share(currentEpsilon / 4, bagSize.toLong)

  private def sortedBag: SortedKeys = {
    TupleScratch.own.sorting.sort(bagKeys, bagSize)
    new SortedKeys(bagKeys, bagSize)
  }

  private def flushHeavy(): Unit = if (heavy != null && !heavy.isEmpty) {
    moveSortedToTuples()
    val drained = heavy.drain()
    val union = TupleScratch.own
    union.combine(summarised, drained)
    summarised.count += drained.count
    thinAndAssign(union)
  }

  /** Whether all values are in the bag, and summarising them would drop none. */
  private def isBag: Boolean = isBagAt(currentEpsilon)

  private def isBagAt(epsilon: Double): Boolean =
    hasOnlyBag && (sortedCount == bagSize || bagSize <= 2 / epsilon)

  private def hasOnlyBag: Boolean =
    summarised.isEmpty && waiting == null && (heavy == null || heavy.isEmpty)

  /** Whether all values are in the bag in order of arrival, so that merging this sketch equals inserting them in this order. */
  private def isUnsortedBag: Boolean = hasOnlyBag && sortedCount == 0

  private[chronosketch] override def bufferedKeys(most: Int): BufferedKeys =
    if (isUnsortedBag && bagSize <= most) new BufferedKeys(bagKeys, bagSize) else null

  private def sortValues(): Unit = if (sortBag()) cachedProfile = null

  private def moveSortedToTuples(): Unit = if (sortedCount > 0) restore(removeSorted(capacity))

  /** Whether n sorted keys can be merged into the bag: [[mergeChecked]] would drop none of their tuples, and they are too many to be
    * inserted.
    */
  private def fitsBag(keys: Array[Long], n: Int, epsilon: Double): Boolean =
    isBag && n <= BagLimit.mostWithoutTuples(currentEpsilon) - bagSize &&
      !MergeLimit.isSmall(epsilon, keys, n)

  /** Merges n sorted keys into the bag. */
  private def mergeSorted(keys: Array[Long], n: Int): Unit = {
    sortValues()
    mergeIntoBag(keys, n)
    cachedProfile = null
    report()
  }

  /** Makes the united tuples the tuples of this sketch, and drops as many as inserting allows. */
  protected def thinAndAssign(union: TupleScratch): Unit = {
    // 2/ε tuples all stay, so 1/ε distinct keys are exact, however often and in whatever order each is inserted
    if (union.length > 2 / currentEpsilon) summarised.isThinned = true
    if (summarised.isThinned) {
      union.drop(insertLimit)
      // if merges have used more than the limit for inserts, nothing can be dropped within that limit for a while
      if (MergeLimit.isLarge(union, currentEpsilon) && union.largest > insertLimit)
        MergeLimit.thinWhileMerging(union, currentEpsilon, summarised.count)
    }
    assign(union)
  }

  private def assign(union: TupleScratch): Unit = {
    if (summarised.assign(union)) report()
    cachedProfile = null
  }

  /** E, the limit of g + Δ while inserting: half of the limit while merging. */
  private def insertLimit: Long = ElementCount.share(currentEpsilon, summarised.count)

  private def absorb(): Unit = {
    bagSize = summarised.absorb(bagKeys, bagSize)
    cachedProfile = null
  }

  protected def mergeChecked(that: GreenwaldKhanna, wider: Domain): Unit = {
    currentDomain = wider
    currentEpsilon = math.max(currentEpsilon, that.currentEpsilon)
    if (that.isUnsortedBag) insertAll(that.bagKeys, 0, that.bagSize)
    else if (that.isBag) {
      // a sorted bag and its tuples represent the same elements, so `that` may change from one to the other
      that.sortValues()
      if (fitsBag(that.bagKeys, that.bagSize, that.currentEpsilon)) mergeSorted(that.bagKeys, that.bagSize)
      else {
        that.flush()
        insertOrWait(that.summarised, that.currentEpsilon, true)
      }
    } else {
      that.flushBag()
      that.flushCells()
      that.flushHeavy()
      if (!that.summarised.isEmpty)
        insertOrWait(that.summarised, that.currentEpsilon, that.summarised.isExact)
      if (that.waiting != null) addWaiting(_.addAll(that.waiting))
    }
  }

  /** Merges a stored sketch. */
  private[quantile] def mergeStored(stored: QuantileRecipe, reader: Wire.Reader): Unit = {
    val larger = math.max(currentEpsilon, stored.epsilon)
    val mostMerged = if (isBagAt(larger)) BagLimit.mostWithoutTuples(larger) - bagSize else -1
    val part = new StoredPart(stored, reader, mostMerged)
    val wider = currentDomain.widenOrRefuse(stored.domain, QuantileSketch.ofValue(stored.numbers))
    ElementCount.requireRoom(count, part.count)
    // from here on nothing is refused, as in mergeChecked
    currentDomain = wider
    currentEpsilon = larger
    val that = part.tuples
    if (part.isSorted) mergeSorted(that.keys, part.keys)
    else if (part.keys >= 0) insertAll(that.keys, 0, part.keys)
    else insertOrWait(that, stored.epsilon, !that.isThinned)
    that.trim()
  }

  /** Inserts the elements of another sketch's tuples if they are exact and few; otherwise lets the tuples wait. */
  private def insertOrWait(that: Tuples, epsilon: Double, isExact: Boolean): Unit =
    if (isExact && MergeLimit.isInserted(epsilon, that)) {
      // the first tuple of a pair is one copy of the key, the second all others
      var i = 0
      while (i < that.size) { insert(that.keys(i), that.gs(i)); i += 1 }
    } else addWaiting(_.add(that))

  private def addWaiting(add: WaitingTuples => Boolean): Unit = {
    val isNew = waiting == null
    if (isNew) waiting = new WaitingTuples
    cachedProfile = null
    if (add(waiting) || isNew) report()
    if (waiting.tuples > MergeLimit.mostWaiting(currentEpsilon)) flushWaiting(isLast = false)
  }

  /** Unites the waiting tuples with the sketch's own and drops tuples if they are too many. `isLast`: more merges are not expected. */
  private def flushWaiting(isLast: Boolean): Unit = {
    moveSortedToTuples()
    val isOnlyList = summarised.isEmpty && waiting.size == 1
    val drained = waiting.drain(TupleScratch.own.waiting)
    val union = combine(drained)
    drained.trim()
    if (!isOnlyList) summarised.isThinned |= waiting.thin(union, currentEpsilon, summarised.count, isLast)
    if (isLast) waiting = null
    assign(union)
    report()
  }

  /** Unites the tuples with those of another, in the scratch. */
  private def combine(that: Tuples): TupleScratch = {
    val union = TupleScratch.own
    union.combine(summarised, that)
    summarised.count += that.count
    summarised.isThinned |= that.isThinned
    union
  }

  private[chronosketch] def sizeBytes: Long =
    Meter.ObjectBytes + bagBytes + summarised.sizeBytes + (if (heavy == null) 0L else heavy.sizeBytes) +
      cellBytes + (if (waiting == null) 0L else waiting.sizeBytes)

  protected def heldBytes: Long = sizeBytes

  def profile: RankProfile = {
    requireCount()
    if (isBag) sortValues() else flush()
    if (cachedProfile == null)
      cachedProfile = if (summarised.isEmpty) bagProfile else summarised.profile
    cachedProfile
  }

  override def quantile(phi: Phi): Long =
    if (bagSize > 0 && isBag) {
      sortValues()
      bagKeys(phi.rank(bagSize.toLong).toInt - 1)
    } else profile.quantile(phi)

  def write(writer: Wire.Writer): Unit =
    if (isBag) {
      sortValues()
      GreenwaldKhannaWire.writeBag(writer, bagKeys, bagSize)
    } else {
      flush()
      GreenwaldKhannaWire.write(writer, summarised)
    }

  /** Fills an empty sketch with n sorted keys, as a sorted bag. */
  private[quantile] def restoreBag(keys: Array[Long], n: Int): Unit = mergeSorted(keys, n)

  /** Fills an empty sketch with counted keys. The tuples are exact if those of inserted values would be; otherwise they have the
    * keys at every ⌊εn⌋-th rank, each of them with a certain rank.
    */
  private[quantile] def restoreCounts(counted: CountedKeys): Unit = restore(ofCounts(counted))

  private def ofCounts(counted: CountedKeys): Tuples =
    if (counted.exactTuples <= 2 / currentEpsilon) CountedTuples.exact(counted)
    else CountedTuples.atRanks(counted, ElementCount.share(currentEpsilon, counted.total))

  /** Replaces the tuples. The sketch takes over the arrays, so the caller must not use `tuples` again. */
  private[chronosketch] def restore(tuples: Tuples): Unit = {
    summarised.take(tuples)
    cachedProfile = null
    report()
  }
}

object GreenwaldKhanna {

  /** A value with at least this many copies is kept with its count, not inserted copy by copy. */
  private[quantile] val FewestHeavy = 4L
}
