package chronosketch.rank

import java.math.BigInteger
import java.util.Arrays

import chronosketch.domain.Cast
import chronosketch.memory.Meter
import chronosketch.sort.BinarySearch.firstWhere

/** Bounds on the ranks of the elements of a bag, and answers to quantile and rank queries with certified errors.
  *
  * A profile consists of four step functions of a key x. Each is the sum over all parts of the bag:
  * A⁻(x) ≤ #{elements ≤ x} ≤ A⁺(x) and B⁻(x) ≤ #{elements > x} ≤ B⁺(x).
  *
  * Guarantee  the exact φ-quantile always lies in [[quantileBounds]]; [[quantile]] is wrong by at most [[certifiedError]] ranks; a
  *            rank lies in [[rankBounds]]
  * Cost       a query O(log m), m the number of distinct keys; after many queries mostly O(1) ([[RankIndex]]). [[plus]] O(m₁ + m₂)
  * Units      ranks start at 1; errors are numbers of ranks
  * Merge      the profile of a union of bags is the sum of their profiles, also if keys are equal
  * Source     Greenwald, Khanna, Space-efficient online computation of quantile summaries, 2001, §2, restated for ties and
  *            for uncertain counts; Singh et al., HistStream, VLDB 2016, §2.3, with stored ranks
  *
  * The arrays contain the values of the functions from each distinct key up to the next. There are no elements below the first key:
  * the minimum is always one of the keys. `aboveLow` and `aboveHigh` have one entry more, for x below the first key. They are null
  * if the count is certain: then B⁻ = n − A⁺ and B⁺ = n − A⁻.
  */
final class RankProfile private (
    val size: Int,
    private val keys: Array[Long],
    private val atMostLow: Array[Long],
    private val atMostHigh: Array[Long],
    private val n: Long,
    private val aboveLow: Array[Long],
    private val aboveHigh: Array[Long]
) extends ProfileShares {
  def isEmpty: Boolean = size == 0

  /** The least possible number of elements. */
  def countLow: Long = if (aboveLow == null) n else aboveLow(0)

  /** The greatest possible number of elements. */
  def countHigh: Long = if (aboveHigh == null) n else aboveHigh(0)

  /** The memory of the profile and its arrays. */
  private[chronosketch] def sizeBytes: Long =
    Meter.ObjectBytes + Seq(keys, atMostLow, atMostHigh, aboveLow, aboveHigh)
      .filter(_ != null).map(array => Meter.longs(array.length)).sum

  def minimum: Long = keys(0)
  def maximum: Long = keys(size - 1)

  /** The i-th distinct key, from 0. */
  def key(i: Int): Long = keys(i)

  // A⁻, A⁺, B⁻, B⁺ at the i-th key; for i = −1, below the first key
  private def a0(i: Int): Long = if (i < 0) 0L else atMostLow(i)
  private def a1(i: Int): Long = if (i < 0) 0L else atMostHigh(i)
  private[chronosketch] def b0(i: Int): Long = if (aboveLow == null) n - a1(i) else aboveLow(i + 1)
  private[chronosketch] def b1(i: Int): Long = if (aboveHigh == null) n - a0(i) else aboveHigh(i + 1)

  /** By how many ranks the i-th key may be below the φ-quantile. */
  private def deficit(phi: Phi, i: Int): Long = phi.rank(a0(i) + b1(i)) - a0(i)

  /** By how many ranks the i-th key may be above the φ-quantile. #{elements < key} ≤ A⁺ and #{elements ≥ key} ≥ B⁻ just below it. */
  private def excess(phi: Phi, i: Int): Long = a1(i - 1) + 1 - phi.rank(a1(i - 1) + b0(i - 1))

  /** The largest possible rank error of the answer `key(i)`. */
  def errorOf(phi: Phi, i: Int): Long = math.max(0L, math.max(deficit(phi, i), excess(phi, i)))

  /** The index of the key with the least certified error, within [[quantileBounds]]; the lower one if two neighbours are equally
    * good.
    */
  def quantileIndex(phi: Phi): Int =
    if (aboveLow == null && n <= RankIndex.MostElements) indexOfRank(phi.rank(n))
    else searchQuantileIndex(phi)

  // the number of queries before the index was built, and the index
  private var queries = 0
  private var index: RankIndex = null

  /** The [[quantileIndex]] of a rank, if the count is certain: then one rank is searched for, and the errors are differences. */
  private def indexOfRank(rank: Long): Int = {
    if (index == null) {
      queries += 1
      // the searches so far took as long as building the index will: profiles with few queries never pay for one
      if (queries > RankProfile.FewQueries + size / RankProfile.KeysPerQuery)
        index = new RankIndex(atMostLow, atMostHigh, size, n)
    }
    val built = index
    nearerOf(rank, if (built != null) built.crossing(rank) else crossing(rank))
  }

  /** The index of the key with the smaller error: that where deficit and excess cross, or the one before. */
  private def nearerOf(rank: Long, cross: Int): Int =
    if (cross == size) size - 1
    else if (cross > 0 && errorAt(rank, cross - 1) <= errorAt(rank, cross)) cross - 1
    else cross

  /** The best estimate of the element with this rank. The count must be certain. */
  def keyOfRank(rank: Long): Long = keys(nearerOf(rank, crossing(rank)))

  /** The least and the greatest possible key of the element with this rank. The count must be certain. */
  def keyBoundsOfRank(rank: Long): (Long, Long) = {
    val low = firstWhere(size)(i => atMostHigh(i) >= rank)
    val high = firstWhere(size)(i => atMostLow(i) >= rank)
    (keys(math.min(low, size - 1)), keys(math.min(high, size - 1)))
  }

  private def errorAt(rank: Long, i: Int): Long =
    math.max(0L, math.max(rank - atMostLow(i), a1(i - 1) + 1 - rank))

  /** The first index at which the excess is at least the deficit; `size` if there is none. */
  private def crossing(rank: Long): Int = {
    var low = 0
    var high = size
    while (low < high) {
      val mid = (low + high) >>> 1
      if (a1(mid - 1) + 1 - rank >= rank - atMostLow(mid)) high = mid else low = mid + 1
    }
    low
  }

  /** [[quantileIndex]] by binary search, for certain and uncertain counts. */
  private[rank] def searchQuantileIndex(phi: Phi): Int = {
    // the deficit falls and the excess grows with i: the least error is where they cross
    var cross = 0
    var past = size
    // the counts are nearly always the same as in the step before: then the ranks, which cost a division each, are used again
    var most, least = -1L
    var rankOfMost, rankOfLeast = 0L
    while (cross < past) {
      val mid = (cross + past) >>> 1
      val here = a0(mid)
      val before = a1(mid - 1)
      val greatest = here + b1(mid)
      if (greatest != most) { most = greatest; rankOfMost = phi.rank(greatest) }
      val fewest = before + b0(mid - 1)
      if (fewest != least) { least = fewest; rankOfLeast = phi.rank(fewest) }
      if (before + 1 - rankOfLeast >= rankOfMost - here) past = mid else cross = mid + 1
    }
    if (cross == size) size - 1
    else if (cross > 0 && errorOf(phi, cross - 1) <= errorOf(phi, cross)) cross - 1
    else cross
  }

  def quantile(phi: Phi): Long = keys(quantileIndex(phi))

  /** The least and the greatest possible key of the exact φ-quantile. */
  def quantileBounds(phi: Phi): (Long, Long) = {
    val low = firstWhere(size)(i => a1(i) >= 1 && phi.reached(a1(i), b0(i)))
    val high = firstWhere(size)(i => a0(i) >= 1 && phi.reached(a0(i), b1(i)))
    (keys(math.min(low, size - 1)), keys(math.min(high, size - 1)))
  }

  /** The index of the greatest key of the profile that is not above this one; −1 if all are above it. */
  def position(key: Long): Int = position(key, 0, size)

  /** [[position]] of a key that is not below the keys before `from`, and is below the keys from `until` on. */
  def position(key: Long, from: Int, until: Int): Int = {
    val i = Arrays.binarySearch(keys, from, until, key)
    if (i >= 0) i else -i - 2
  }

  /** The least and the greatest possible number of elements ≤ a key at this position. */
  def rankBounds(position: Int): (Long, Long) = (a0(position), a1(position))

  /** The lower of the [[rankBounds]]. */
  def rankLow(position: Int): Long = a0(position)

  /** The upper of the [[rankBounds]]. */
  def rankHigh(position: Int): Long = a1(position)

  /** The estimated number of elements ≤ a key at this position: the middle of its bounds. */
  def rank(position: Int): Long = a0(position) + (a1(position) - a0(position)) / 2

  /** The largest possible rank error of [[quantile]] over all φ. It is reached where two neighbouring keys are equally good. */
  lazy val certifiedError: Long = {
    var worst = 0L
    var i = 0
    while (i < size) {
      // the answer changes from key(i−1) to key(i) where the deficit of the former equals the excess of the latter
      val past = a1(i - 1) + 1
      val reach = a0(i - 1)
      val error =
        if (aboveLow == null) (past - reach) / 2
        else RankProfile.crossing(past, reach, a0(i - 1) + b1(i - 1), a1(i - 1) + b0(i - 1))
      if (i > 0 && error > worst) worst = error
      i += 1
    }
    // at the two ends: the minimum as answer to the first rank, the maximum as answer to the last
    if (isEmpty) worst
    else math.max(worst, math.max(errorOf(RankProfile.First, 0), errorOf(RankProfile.Last, size - 1)))
  }

  /** [[certifiedError]] as a share of the count; 1 if there may be no elements at all. */
  def rankError: Double = if (countLow == 0) 1.0 else math.min(1.0, certifiedError.toDouble / countLow)

  /** Whether all ranks are certain. */
  def isExact: Boolean = isEmpty || (countLow == countHigh && {
    var i = 0
    while (i < size && atMostLow(i) == atMostHigh(i)) i += 1
    i == size
  })

  /** The profile of both bags together. */
  def plus(that: RankProfile): RankProfile =
    if (that.isEmpty) this
    else if (isEmpty) that
    else {
      val certain = aboveLow == null && that.aboveLow == null
      val most = size + that.size
      val k = new Array[Long](most)
      val low, high = new Array[Long](most)
      val above0, above1 = if (certain) null else new Array[Long](most + 1)
      if (!certain) {
        above0(0) = countLow + that.countLow
        above1(0) = Math.addExact(countHigh, that.countHigh)
      }
      var i, j = -1
      var o = 0
      while (i + 1 < size || j + 1 < that.size) {
        val next =
          if (i + 1 == size) that.keys(j + 1)
          else if (j + 1 == that.size) keys(i + 1)
          else math.min(keys(i + 1), that.keys(j + 1))
        if (i + 1 < size && keys(i + 1) == next) i += 1
        if (j + 1 < that.size && that.keys(j + 1) == next) j += 1
        k(o) = next
        low(o) = a0(i) + that.a0(j)
        high(o) = a1(i) + that.a1(j)
        if (!certain) {
          above0(o + 1) = b0(i) + that.b0(j)
          above1(o + 1) = b1(i) + that.b1(j)
        }
        o += 1
      }
      val total = if (certain) Math.addExact(n, that.n) else 0L
      new RankProfile(o, k, low, high, total, above0, above1)
    }

  /** The profile of the same bag with its keys cast. Where keys become equal, the bounds of the last of them hold: they are those of all
    * elements below the next key.
    */
  def castBy(cast: Cast): RankProfile = {
    val all = cast.all(keys, size)
    val last = Array.range(0, size).filter(i => i + 1 == size || all(i) != all(i + 1))
    val above = if (aboveLow == null) null else -1 +: last
    if (last.length == size) new RankProfile(size, all, atMostLow, atMostHigh, n, aboveLow, aboveHigh)
    else
      new RankProfile(
        last.length,
        last.map(all(_)),
        last.map(atMostLow(_)),
        last.map(atMostHigh(_)),
        n,
        if (above == null) null else above.map(i => aboveLow(i + 1)),
        if (above == null) null else above.map(i => aboveHigh(i + 1))
      )
  }

  /** A profile of the same bag with fewer keys. Rank bounds are at most `width` apart, or as far apart as they are now. The minimum
    * and the maximum stay. The count must be certain.
    */
  def thinned(width: Long): RankProfile =
    if (isEmpty) this
    else {
      val k, low, high = new Array[Long](size)
      var o = 0
      var i = 0
      while (i < size) {
        k(o) = keys(i)
        low(o) = a0(i)
        var next = i + 1
        while (next < size - 1 && a1(next) - a0(i) <= width) next += 1
        high(o) = a1(next - 1)
        o += 1
        i = next
      }
      RankProfile.certain(o, Arrays.copyOf(k, o), Arrays.copyOf(low, o), Arrays.copyOf(high, o), n)
    }
}

object RankProfile {
  private val First = Phi(0.0)
  private val Last = Phi(1.0)

  /** A search takes as long as indexing this many keys. */
  private val KeysPerQuery = 16
  private val FewQueries = 16

  /** The value at which φ·most − reach equals past − φ·least, rounded up, or the value of the former at φ = 1 if they meet beyond it.
    * Integer arithmetic is exact; with doubles the result could be too small.
    */
  private def crossing(past: Long, reach: Long, most: Long, least: Long): Long =
    if (((past | reach | most | least) >>> 31) == 0) {
      if (past + reach >= most + least) most - reach
      else -Math.floorDiv(reach * least - past * most, most + least)
    } else {
      def big(value: Long): BigInteger = BigInteger.valueOf(value)
      val whole = big(most).add(big(least))
      if (big(past).add(big(reach)).compareTo(whole) >= 0) most - reach
      else {
        val parts =
          big(past).multiply(big(most)).subtract(big(reach).multiply(big(least))).divideAndRemainder(whole)
        parts(0).longValueExact + math.max(0, parts(1).signum)
      }
    }

  val empty: RankProfile = new RankProfile(0, Array.empty, Array.empty, Array.empty, 0L, null, null)

  /** A profile with a certain count. `keys` are strictly increasing and begin with the minimum. `atMostLow(i)` and `atMostHigh(i)`
    * bound the number of elements ≤ x for every x from `keys(i)` up to the next key. The arrays are not copied.
    */
  def certain(
      size: Int,
      keys: Array[Long],
      atMostLow: Array[Long],
      atMostHigh: Array[Long],
      n: Long
  ): RankProfile =
    if (size == 0) empty else new RankProfile(size, keys, atMostLow, atMostHigh, n, null, null)

  /** A profile whose count is between two bounds. The keys are as in [[certain]], and the last one is the maximum or above it. The
    * arrays are not copied.
    */
  def between(
      size: Int,
      keys: Array[Long],
      atMostLow: Array[Long],
      atMostHigh: Array[Long],
      countLow: Long,
      countHigh: Long
  ): RankProfile =
    if (countHigh == 0) empty
    else if (countLow == countHigh) certain(size, keys, atMostLow, atMostHigh, countLow)
    else {
      val aboveLow, aboveHigh = new Array[Long](size + 1)
      aboveLow(0) = countLow
      aboveHigh(0) = countHigh
      var i = 0
      while (i < size - 1) {
        aboveLow(i + 1) = math.max(0L, countLow - atMostHigh(i))
        aboveHigh(i + 1) = countHigh - atMostLow(i)
        i += 1
      }
      new RankProfile(size, keys, atMostLow, atMostHigh, 0L, aboveLow, aboveHigh)
    }

  /** A profile with bounds on the number of elements > x, too: entry i + 1 of `aboveLow` and `aboveHigh` belongs to `keys(i)`, and
    * entry 0 bounds the count.
    */
  def between(
      size: Int,
      keys: Array[Long],
      atMostLow: Array[Long],
      atMostHigh: Array[Long],
      aboveLow: Array[Long],
      aboveHigh: Array[Long]
  ): RankProfile =
    if (aboveHigh(0) == 0) empty
    else new RankProfile(size, keys, atMostLow, atMostHigh, 0L, aboveLow, aboveHigh)

  /** The profile of an unknown part of a bag, from none to all of it: that of a bucket that straddles a window's edge. */
  def straddling(bag: RankProfile): RankProfile = partOf(bag, 0L, bag.countHigh)

  /** The profile of an unknown part of a bag that has at least `least` and at most `most` elements. */
  def partOf(bag: RankProfile, least: Long, most: Long): RankProfile =
    if (bag.isEmpty || most == 0) empty
    else {
      val m = bag.size
      val low = Array.tabulate(m)(i => math.max(0L, least - bag.b1(i)))
      val high = Array.tabulate(m)(i => math.min(most, bag.a1(i)))
      if (least == most) new RankProfile(m, bag.keys, low, high, most, null, null)
      else
        new RankProfile(
          m,
          bag.keys,
          low,
          high,
          0L,
          Array.tabulate(m + 1)(i => math.max(0L, least - bag.a1(i - 1))),
          Array.tabulate(m + 1)(i => math.min(most, bag.b1(i - 1)))
        )
    }
}
