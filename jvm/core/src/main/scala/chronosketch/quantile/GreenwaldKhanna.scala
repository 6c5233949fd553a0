package chronosketch.quantile

import java.util.Arrays

import chronosketch.codec.Wire
import chronosketch.counted.{ElementCount, SortedKeys}
import chronosketch.domain.{Cast, Domain}
import chronosketch.memory.{Meter, Metered}
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.sort.SortedPair
import chronosketch.summary.{BufferedKeys, Inserts, Ranked, Summary}

/** A quantile sketch with a certified rank error: answers quantiles and ranks after one pass over the values.
  *
  * Guarantee  rank error ≤ ε·n for every φ, after any inserts and merges; with a [[chronosketch.rank.Tail tail]], ≤ ε times the
  *            elements from there to its end. Exact (all values are kept) if ε is 0, n ≤ 2/ε, or there are ≤ 1/ε distinct keys
  * Cost       insert amortised O(log 1/ε); merge O(m·log εn) amortised over many. m ≤ 2/ε tuples for random and sorted input, 4/ε
  *            more for a zigzag ([[DenseGaps]]). If merges leave more than 8/ε, tuples are dropped until 2.8/ε … 6/ε are left, if
  *            possible. 10 bytes per stored tuple: 11 kB at ε = 1e-3 and 10⁷ lognormal values
  * Units      keys of `domain`; ranks start at 1
  * Merge      if the tails are equal and the value types have a common wider type; the larger ε counts
  * Source     Greenwald, Khanna 2001; Luo, Wang, Yi, Cormode, Quantiles over data streams, VLDB J. 2016, §3 (GKArray);
  *            departs: ties, batches, dense gaps, merge limits (docs/algorithms.md, Greenwald–Khanna)
  *
  * Inserted values are buffered in the bag. A small sketch consists of the bag alone ([[BagOnly]]): a sketch that is decoded and then
  * encoded or queried needs a third of the memory of tuples. Once the bag is full, its values are moved into tuples
  * ([[Summarised]]). There merged sketches wait, too, and values that are not buffered one by one.
  *
  * The bag is in fields of the sketch, not in an object of its own: if inserts alternate between a thousand sketches, one more object
  * would cost one more cache miss per insert.
  */
final class GreenwaldKhanna private[quantile] (recipe: QuantileRecipe)
    extends Summary
    with Inserts
    with Ranked
    with Metered {
  type Same = GreenwaldKhanna

  private var currentDomain = recipe.domain
  private var tolerance = recipe.tolerance

  // the bag: values in order of arrival, after `sortedCount` sorted ones. These represent tuples, which are made only when they are
  // needed. There are none if there are tuples
  private var bagKeys = new Array[Long](BagLimit.Smallest)
  private var bagSize = 0
  private var sortedCount = 0

  private var state: SketchState = BagOnly

  // null if the sketch has changed since it was queried
  private var cachedProfile: RankProfile = null

  def this(domain: Domain, epsilon: Double) = this(QuantileRecipe(domain, epsilon))

  def family: QuantileFamily = recipe.family
  def domain: Domain = currentDomain
  def epsilon: Double = tolerance.epsilon
  def header: QuantileRecipe = currentRecipe
  def newEmpty: GreenwaldKhanna = currentRecipe.empty
  def count: Long = ElementCount.checked(bagSize + state.count)

  def castBy(cast: Cast): GreenwaldKhanna = {
    val other = new GreenwaldKhanna(QuantileRecipe(cast.to, epsilon, family))
    if (isBag) {
      sortBag()
      other.restoreBag(cast.all(bagKeys, bagSize), bagSize)
    } else other.restore(summarised.castBy(cast))
    other
  }

  private def currentRecipe: QuantileRecipe =
    if ((recipe.domain eq currentDomain) && recipe.epsilon == epsilon) recipe
    else QuantileRecipe(currentDomain, epsilon, family)

  private def requireCount(): Unit = { count; () }

  private def scratch: Scratch = Scratch.ofThread

  /** The number of tuples. */
  def tuples: Int = summarised.size

  /** The tuples. Moves all elements into them, so a sketch that is only a bag takes more memory afterwards. */
  private[chronosketch] def summarised: Tuples = {
    flush()
    state match {
      case summary: Summarised => summary.tuples
      case BagOnly => new Tuples
    }
  }

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
      if (isBagFull) makeRoom()
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
      val summary = toSummarised()
      if (summary.isHeavyFull) makeHeavyRoom(summary)
      summary.insertHeavy(key, copies)
    }

  private def makeHeavyRoom(summary: Summarised): Unit = {
    if (summary.isHeavyAtCapacity(tolerance)) {
      moveSortedToTuples()
      summary.flushHeavy(tolerance, scratch)
    } else summary.growHeavy(tolerance)
    noteChange()
  }

  private def isBagFull: Boolean = bagSize == bagKeys.length

  private def makeRoom(): Unit = {
    requireCount()
    moveSortedToTuples()
    state match {
      case summary: Summarised if isBagFull =>
        bagSize = summary.countInCells(bagKeys, bagSize, tolerance, scratch)
      case _ =>
    }
    if (isBagFull) growOrFlush()
    noteChange()
  }

  private def growOrFlush(): Unit = {
    val most = state.bagCapacity(tolerance)
    if (bagKeys.length < most)
      bagKeys = Arrays.copyOf(bagKeys, math.min(most.toLong, bagKeys.length * 4L).toInt)
    else
      state match {
        case summary: Summarised if !summary.tuples.isThinned =>
          val tuples = summary.tuples
          if (tuples.isAbsorbing(bagSize)) bagSize = tuples.absorb(bagKeys, bagSize, scratch)
          // keep the remaining values until the bag is half full again; flushing fewer costs more
          if (bagSize * 2 > bagKeys.length) flushBag()
        case _ => flushBag()
      }
  }

  /** Must be called when anything but the unsorted values in the bag has changed. */
  private def noteChange(): Unit = {
    cachedProfile = null
    report()
  }

  /** Moves all elements into the tuples. */
  private def flush(): Unit = {
    requireCount()
    flushBag()
    state match {
      case summary: Summarised if summary.hasPending =>
        summary.flush(tolerance, scratch)
        noteChange()
      case _ =>
    }
  }

  private def flushBag(): Unit = {
    moveSortedToTuples()
    if (bagSize > 0) {
      val summary = toSummarised()
      if (summary.tuples.isEmpty && bagSize > 2 / epsilon) {
        summary.summarise(bagKeys, bagSize, tolerance, scratch)
        bagSize = 0
        shrinkBag(0, state.bagCapacity(tolerance))
      } else {
        summary.insert(bagKeys, bagSize, tolerance, scratch)
        bagSize = 0
      }
      noteChange()
    }
  }

  /** Moves the sorted values of the bag into tuples, which are the first ones. */
  private def moveSortedToTuples(): Unit = if (sortedCount > 0) {
    val capacity = state.bagCapacity(tolerance)
    restore(Tuples.exact(new SortedKeys(bagKeys, sortedCount)))
    shrinkBag(sortedCount, capacity)
    sortedCount = 0
  }

  /** Removes the first `removed` values of the bag, and shrinks its array to `capacity`, or to the remaining values if they are more. */
  private def shrinkBag(removed: Int, capacity: Int): Unit = {
    val rest = bagSize - removed
    val room = math.max(rest, math.min(bagKeys.length, capacity))
    val keys = if (room < bagKeys.length) new Array[Long](room) else bagKeys
    System.arraycopy(bagKeys, removed, keys, 0, rest)
    bagKeys = keys
    bagSize = rest
    report()
  }

  /** The summary of a sketch that from now on has one. */
  private def toSummarised(): Summarised = state match {
    case summary: Summarised => summary
    case BagOnly =>
      val summary = new Summarised
      state = summary
      summary
  }

  /** Whether all values are in the bag, and summarising them would drop none. */
  private def isBagAt(epsilon: Double): Boolean =
    hasOnlyBag && (sortedCount == bagSize || bagSize <= 2 / epsilon)

  private def isBag: Boolean = isBagAt(epsilon)

  private def hasOnlyBag: Boolean = state eq BagOnly

  /** Whether all values are in the bag in order of arrival, so that merging this sketch equals inserting them in this order. */
  private def isUnsortedBag: Boolean = hasOnlyBag && sortedCount == 0

  private[chronosketch] override def bufferedKeys(most: Int): BufferedKeys =
    if (isUnsortedBag && bagSize <= most) new BufferedKeys(bagKeys, bagSize) else null

  private def sortBag(): Unit = if (sortedCount < bagSize) {
    scratch.sorter.sort(bagKeys, bagSize)
    sortedCount = bagSize
    noteChange()
  }

  /** Whether n sorted keys can be merged into the bag: [[mergeChecked]] would drop none of their tuples, and they are too many to be
    * inserted.
    */
  private def fitsBag(keys: Array[Long], n: Int, epsilon: Double): Boolean =
    isBag && n <= BagLimit.mostWithoutTuples(epsilon) - bagSize &&
      !MergeLimit.isSmall(epsilon, keys, n)

  /** Merges n sorted keys into the bag. */
  private def mergeSorted(keys: Array[Long], n: Int): Unit = {
    sortBag()
    val all = new Array[Long](math.max(BagLimit.Smallest, bagSize + n))
    SortedPair.merge(bagKeys, 0, bagSize, keys, 0, n, all, 0)
    bagKeys = all
    bagSize += n
    sortedCount = bagSize
    noteChange()
  }

  protected def mergeChecked(that: GreenwaldKhanna, wider: Domain): Unit = {
    currentDomain = wider
    tolerance = tolerance.widenedTo(math.max(epsilon, that.epsilon))
    if (that.isUnsortedBag) insertAll(that.bagKeys, 0, that.bagSize)
    else if (that.isBag) {
      // a sorted bag and its tuples represent the same elements, so `that` may change from one to the other
      that.sortBag()
      if (fitsBag(that.bagKeys, that.bagSize, that.epsilon)) mergeSorted(that.bagKeys, that.bagSize)
      else insertOrWait(that.summarised, that.epsilon, true)
    } else {
      val summary = that.flushInserted()
      if (!summary.tuples.isEmpty)
        insertOrWait(summary.tuples, that.epsilon, summary.tuples.isExact)
      if (summary.isMerging) addWaiting(_.addWaiting(summary))
    }
  }

  /** Moves all inserted elements into the tuples, but not those of merged sketches. */
  private def flushInserted(): Summarised = {
    flushBag()
    val summary = toSummarised()
    summary.flushInserted(tolerance, scratch)
    noteChange()
    summary
  }

  /** Merges a stored sketch. */
  private[quantile] def mergeStored(stored: QuantileRecipe, reader: Wire.Reader): Unit = {
    val larger = math.max(epsilon, stored.epsilon)
    val mostMerged = if (isBagAt(larger)) BagLimit.mostWithoutTuples(larger) - bagSize else -1
    val part = StoredPart.read(stored, reader, mostMerged, scratch)
    val wider = currentDomain.widenOrRefuse(stored.domain, family.ofValue(stored.numbers))
    ElementCount.requireRoom(count, part.count)
    // from here on nothing is refused, as in mergeChecked
    currentDomain = wider
    tolerance = tolerance.widenedTo(larger)
    part match {
      case StoredPart.Inserted(keys, n) => insertAll(keys, 0, n)
      case StoredPart.Sorted(keys, n) => mergeSorted(keys, n)
      case StoredPart.United(tuples) => insertOrWait(tuples, stored.epsilon, !tuples.isThinned)
    }
    scratch.stored.trim()
  }

  /** Inserts the elements of another sketch's tuples if they are exact and few; otherwise lets the tuples wait. */
  private def insertOrWait(that: Tuples, epsilon: Double, isExact: Boolean): Unit =
    if (isExact && MergeLimit.isInserted(epsilon, that)) {
      // the first tuple of a pair is one copy of the key, the second all others
      var i = 0
      while (i < that.size) { insert(that.keys(i), that.gs(i)); i += 1 }
    } else addWaiting(_.addWaiting(that))

  private def addWaiting(add: Summarised => Unit): Unit = {
    val summary = toSummarised()
    add(summary)
    if (summary.isWaitingFull(tolerance)) {
      moveSortedToTuples()
      summary.uniteWaiting(MergeLimit.WhileMerging, tolerance, scratch)
    }
    noteChange()
  }

  /** Thins a union that will be stored to about the size of a sketch that was built, within ε (docs/algorithms.md, Merging). */
  def compact(): Unit =
    if (!isBag) { flush(); toSummarised().compact(tolerance, scratch); noteChange() }
    else {
      sortBag()
      val keys = new SortedKeys(bagKeys, bagSize)
      if (keys.exactTuples > 2 / epsilon) {
        restore(tolerance.summary(keys))
        sortedCount = 0
        shrinkBag(bagSize, state.bagCapacity(tolerance))
      }
    }

  private[chronosketch] def sizeBytes: Long =
    Meter.ObjectBytes + Meter.longs(bagKeys.length) + state.sizeBytes

  protected def heldBytes: Long = sizeBytes

  def profile: RankProfile = {
    requireCount()
    if (isBag) sortBag() else flush()
    if (cachedProfile == null)
      cachedProfile = state match {
        case summary: Summarised => summary.tuples.profile
        case BagOnly => bagProfile
      }
    cachedProfile
  }

  /** The profile of the bag, which must be sorted: all ranks are certain. */
  private def bagProfile: RankProfile = {
    val distinct = new SortedKeys(bagKeys, bagSize).distinct
    val k, atMost = new Array[Long](distinct)
    var o = 0
    var i = 0
    while (i < bagSize) {
      if (i + 1 == bagSize || bagKeys(i) != bagKeys(i + 1)) {
        k(o) = bagKeys(i)
        atMost(o) = i + 1L
        o += 1
      }
      i += 1
    }
    RankProfile.certain(distinct, k, atMost, atMost, bagSize.toLong)
  }

  override def quantile(phi: Phi): Long =
    if (bagSize > 0 && isBag) {
      sortBag()
      bagKeys(phi.rank(bagSize.toLong).toInt - 1)
    } else profile.quantile(phi)

  def write(writer: Wire.Writer): Unit =
    if (isBag) {
      sortBag()
      GreenwaldKhannaWire.writeBag(writer, bagKeys, bagSize)
    } else GreenwaldKhannaWire.write(writer, summarised)

  /** Fills an empty sketch with n sorted keys, as a sorted bag. */
  private[quantile] def restoreBag(keys: Array[Long], n: Int): Unit = mergeSorted(keys, n)

  /** Replaces the tuples. The sketch takes over the arrays, so the caller must not use `tuples` again. */
  private[chronosketch] def restore(tuples: Tuples): Unit = {
    if (!tuples.isEmpty) toSummarised().tuples.take(tuples)
    noteChange()
  }
}

object GreenwaldKhanna {

  /** A value with at least this many copies is kept with its count, not inserted copy by copy. */
  private[quantile] val FewestHeavy = 4L
}
