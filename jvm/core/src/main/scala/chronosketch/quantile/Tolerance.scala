package chronosketch.quantile

import java.util.Arrays

import chronosketch.counted.{CountedKeys, ElementCount, SortedKeys}
import chronosketch.rank.Tail

/** Says how large the rank error of a quantile sketch may be, and how its tuples are chosen and thinned within that.
  *
  * A limit of [[Thinning]] is a number of elements if the error may be the same at all ranks ([[UniformTolerance]]), and a share of
  * what each gap may have if it depends on the rank ([[TailTolerance]]). [[mergeLimit]] is all that is allowed; inserts use at most
  * half of that, so that merges have the other half.
  */
private[quantile] sealed abstract class Tolerance extends Serializable {
  def epsilon: Double

  /** The same tolerance with an ε that is at least this one. */
  def widenedTo(epsilon: Double): Tolerance

  /** The limit of thinning after inserts. */
  def insertLimit(count: Long): Long

  /** The limit of thinning that keeps ε, whatever was merged. */
  def mergeLimit(count: Long): Long

  /** The number of values that a sketch buffers is a multiple of this, which is about the number of its tuples if it is large. */
  def unit: Double

  /** A multiple of about the number of tuples of a sketch of n elements that was built from values in random order. */
  def tuples(multiple: Double, count: Long): Double

  /** The numbers of tuples that thinning aims at while sketches are merged, as multiples of [[tuples]]; the first that its limit
    * allows is taken.
    */
  def targetsWhileMerging: Seq[Double]

  /** The numbers of tuples that thinning aims at when a union is queried or stored. */
  def targets: Seq[Double]

  /** The numbers of tuples that compacting aims at. */
  def compactTargets: Seq[Double]

  /** A union with more tuples than this multiple is thinned. */
  def large: Double

  /** The most tuples of merged sketches of n elements that wait to be united. More would take memory and gain nothing. */
  def mostWaiting(count: Long): Int

  /** The tuples of the first n values of a sketch. The array may be overwritten. */
  def firstSummary(keys: Array[Long], n: Int, scratch: Scratch): Tuples

  /** The tuples of n more values; null if these are few and are inserted one by one. The array may be overwritten. */
  def laterSummary(keys: Array[Long], n: Int, scratch: Scratch): Tuples

  /** The tuples of sorted keys with counts. They are exact if those of inserted values would be. */
  final def summary(counted: CountedKeys): Tuples =
    if (counted.exactTuples <= 2 / epsilon) Tuples.exact(counted) else inexactSummary(counted)

  protected def inexactSummary(counted: CountedKeys): Tuples

  /** Cells for the values that come after those of the tuples, or null if they would not pay off. The first n keys of `sample` stand for them. */
  def cells(tuples: Tuples, sample: Array[Long], n: Int): CellCounts

  /** Whether the tuples must leave a part of the tolerance to the cells. */
  def isSharedWithCells: Boolean

  def thinning(union: UnitedTuples): Thinning

  /** The largest g + Δ that any tuple may have. */
  def mostUncertain(count: Long): Long

  /** Whether tuples keep what is promised, apart from [[mostUncertain]]. Their other invariants must hold. */
  def holds(tuples: Tuples): Boolean
}

private[quantile] object Tolerance {
  def of(epsilon: Double, tail: Option[Tail]): Tolerance =
    tail.fold[Tolerance](new UniformTolerance(epsilon))(new TailTolerance(epsilon, _))

  private[quantile] def sorted(keys: Array[Long], n: Int, scratch: Scratch): SortedKeys = {
    scratch.sorter.sort(keys, n)
    new SortedKeys(keys, n)
  }
}

/** Allows a rank error of ε·n at every rank: g + Δ is at most ⌊2εn⌋. A limit is a number of elements. */
private[quantile] final class UniformTolerance(val epsilon: Double) extends Tolerance {
  def widenedTo(larger: Double): Tolerance =
    if (larger == epsilon) this else new UniformTolerance(larger)

  def unit: Double = 1 / epsilon
  def insertLimit(count: Long): Long = ElementCount.share(epsilon, count)
  def mergeLimit(count: Long): Long = ElementCount.share(2 * epsilon, count)
  def tuples(multiple: Double, count: Long): Double = multiple / epsilon

  def targetsWhileMerging: Seq[Double] = UniformTolerance.TargetsWhileMerging
  def targets: Seq[Double] = UniformTolerance.Targets
  def compactTargets: Seq[Double] = UniformTolerance.CompactTargets
  def large: Double = UniformTolerance.Large
  def mostWaiting(count: Long): Int =
    math.min(1 << 20, math.max(1024, 2 * BagLimit.mostWithoutTuples(epsilon)))

  def firstSummary(keys: Array[Long], n: Int, scratch: Scratch): Tuples = {
    // all ranks are certain, so a few keys are enough
    val blocks = scratch.blocks.tuples(keys, n, ElementCount.share(epsilon, n.toLong), 2 / epsilon)
    if (blocks != null) blocks else summary(Tolerance.sorted(keys, n, scratch))
  }

  def laterSummary(keys: Array[Long], n: Int, scratch: Scratch): Tuples = {
    // a quarter of what the values add to ε·n leaves room for drops: three of four new tuples are dropped
    val step = ElementCount.share(epsilon / 4, n.toLong)
    if (step <= 1) null
    else {
      val blocks = scratch.blocks.tuples(keys, n, step, 0.0)
      if (blocks != null) blocks else Tuples.atRanks(Tolerance.sorted(keys, n, scratch), step)
    }
  }

  protected def inexactSummary(counted: CountedKeys): Tuples =
    Tuples.atRanks(counted, ElementCount.share(epsilon, counted.total))

  def cells(tuples: Tuples, sample: Array[Long], n: Int): CellCounts =
    UniformCells.create(tuples, sample, n, this)

  // relative to all elements, the limits of two disjoint lists add up to that of the union
  def isSharedWithCells: Boolean = false

  def thinning(union: UnitedTuples): Thinning = new UniformThinning(union)

  def mostUncertain(count: Long): Long = math.max(1L, mergeLimit(count))
  def holds(tuples: Tuples): Boolean = true
}

private object UniformTolerance {
  private val TargetsWhileMerging = Seq(4.0)
  private val Targets = Seq(2.8, 3.0, 4.0, 6.0)

  /** A sketch that was built has about 1.1/ε tuples. */
  private val CompactTargets = Seq(1.8, 2.0, 2.8, 3.0, 4.0, 6.0)
  private val Large = 8.0
}

/** Allows a rank error of ε times the number of elements from a rank to the end of a tail.
  *
  * Guarantee  if all gaps between neighbouring tuples are within [[GapLimits]], the certified error at every rank is within ε of
  *            its tail; the union of lists of which this is true has such gaps, too (docs/algorithms.md, Tails)
  * Units      a limit of thinning is a share of what a gap may have, in units of 1/[[GapLimits.Whole]]
  */
private[quantile] final class TailTolerance(val epsilon: Double, val tail: Tail) extends Tolerance {
  import TailTolerance._

  def widenedTo(larger: Double): Tolerance =
    if (larger == epsilon) this else new TailTolerance(larger, tail)

  def unit: Double = Unit / epsilon
  def insertLimit(count: Long): Long = BuiltShare
  def mergeLimit(count: Long): Long = GapLimits.Whole

  /** The gaps of a sketch that uses half of the tolerance grow like e^(εi) from the end of the tail on, after 1/ε keys there. */
  def tuples(multiple: Double, count: Long): Double = {
    val ofOneTail =
      if (tail.isHigh && tail.isLow) 2 * (1 + math.log1p(epsilon * count / 2))
      else 1 + math.log1p(epsilon * count)
    multiple * ofOneTail / epsilon
  }

  def targetsWhileMerging: Seq[Double] = TargetsWhileMerging
  def targets: Seq[Double] = Targets
  def compactTargets: Seq[Double] = Targets
  def large: Double = Large
  def mostWaiting(count: Long): Int =
    math.min(TupleArrays.MostKept.toDouble, math.max(1024.0, tuples(MostWaiting, count))).toInt

  def firstSummary(keys: Array[Long], n: Int, scratch: Scratch): Tuples = {
    val blocks = scratch.tailBlocks.tuples(keys, n, tail, limits(BuiltShare), 2 / epsilon)
    if (blocks != null) blocks else summary(Tolerance.sorted(keys, n, scratch))
  }

  def laterSummary(keys: Array[Long], n: Int, scratch: Scratch): Tuples =
    if (n * epsilon < FewestAtOnce) null
    else {
      val blocks = scratch.tailBlocks.tuples(keys, n, tail, limits(LaterShare), 0.0)
      if (blocks != null) blocks else atRanks(Tolerance.sorted(keys, n, scratch), LaterShare)
    }

  protected def inexactSummary(counted: CountedKeys): Tuples = atRanks(counted, BuiltShare)

  private def atRanks(counted: CountedKeys, share: Long): Tuples =
    Tuples.atRanks(counted, ranks(counted.total, tail, limits(share)))

  /** The limits of gaps within a share of the tolerance. */
  def limits(share: Long): GapLimits = new GapLimits(epsilon, share)

  def cells(tuples: Tuples, sample: Array[Long], n: Int): CellCounts =
    TailCells.create(tuples, sample, n, this)
  def isSharedWithCells: Boolean = true

  def thinning(union: UnitedTuples): Thinning = new TailThinning(union, this)

  def mostUncertain(count: Long): Long = 2 * ElementCount.share(epsilon, count) + 1

  def holds(tuples: Tuples): Boolean = {
    var rank = 0L
    var i = 0
    var all = true
    while (i < tuples.size && all) {
      val g = tuples.gs(i)
      val isFirst = i == 0 || tuples.keys(i) != tuples.keys(i - 1)
      if (isFirst) {
        val half = (g + tuples.deltas(i)) / 2
        val near = tail.nearer(rank, tuples.count - rank - g - tuples.deltas(i) + 1)
        all = half <= ElementCount.share(epsilon, near + half)
      }
      rank += g
      i += 1
    }
    all
  }
}

private object TailTolerance {

  /** A sketch of n = 8000/ε elements has 10/ε tuples. */
  private val Unit = 10.0

  private val TargetsWhileMerging = Seq(2.5)
  private val Targets = Seq(1.8, 2.0, 2.5, 3.0, 4.0)
  private val Large = 5.0
  private val MostWaiting = 16.0

  /** From this number of values times ε on, values are summarised by themselves; fewer are inserted one by one. */
  private val FewestAtOnce = 8

  /** The share that inserts use. */
  private val BuiltShare = GapLimits.Whole / 2

  /** The share for the tuples of more values: a quarter of the limit of inserts, as where the tolerance is uniform. */
  private val LaterShare = GapLimits.Whole / 8

  /** The ranks from 1 to n that are as far apart as the limits allow, starting from the ends of the tails. */
  private def ranks(n: Long, tail: Tail, limits: GapLimits): Array[Long] = {
    val middle = if (!tail.isHigh) n else if (!tail.isLow) 1L else (n + 1) / 2
    val rising = new RankList
    var rank = 1L
    // no farther than to the middle: a sum could overflow
    while (rank < middle) { rising.add(rank); rank += math.min(middle - rank, 1 + limits.spare(rank)) }
    rising.add(middle)
    val falling = new RankList
    rank = n
    while (rank > middle) {
      falling.add(rank); rank -= math.min(rank - middle, 1 + limits.spare(n - rank + 1))
    }
    rising.followedBy(falling)
  }

  /** A growing array of ranks. */
  private final class RankList {
    private var ranks = new Array[Long](256)
    private var size = 0

    def add(rank: Long): Unit = {
      if (size == ranks.length) ranks = Arrays.copyOf(ranks, 2 * size)
      ranks(size) = rank
      size += 1
    }

    /** These ranks and then those of another list, the last one first. */
    def followedBy(others: RankList): Array[Long] = {
      val all = Arrays.copyOf(ranks, size + others.size)
      var i = 0
      while (i < others.size) { all(size + i) = others.ranks(others.size - 1 - i); i += 1 }
      all
    }
  }
}

/** Computes what a gap between two neighbouring tuples may have: g + Δ − 1 of the upper one.
  *
  * A gap with w elements on its certain side ([[Tail.nearer]]) may have at most 2·⌊εw/(1 − ε)⌋. If it is thinned within a share of
  * the tolerance, it may have at most that share of 2εw/(1 − ε), too.
  *
  * @param share
  *   a share of the tolerance, in units of 1/[[GapLimits.Whole]]
  */
private[quantile] final class GapLimits(epsilon: Double, share: Long) {

  /** ε/(1 − ε), rounded down so far that no product with it is above the exact one. */
  val half: Double = epsilon / (1 - epsilon) * GapLimits.RoundedDown

  /** The factor for the share. */
  val part: Double = 2 * half * share / GapLimits.Whole

  /** The most that a gap may have that has w elements on its certain side. */
  def spare(w: Long): Long = GapLimits.spare(half, part, w)
}

private[quantile] object GapLimits {

  /** The whole of a tolerance. */
  val Whole: Long = 1L << 30

  private final val RoundedDown = 1 - 1.0 / (1L << 40)

  def spare(half: Double, part: Double, w: Long): Long = {
    val near = w.toDouble
    math.min(2 * (half * near).toLong, (part * near).toLong)
  }
}
