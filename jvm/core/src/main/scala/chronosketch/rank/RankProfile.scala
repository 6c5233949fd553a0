package chronosketch.rank

import java.math.BigInteger
import java.util.Arrays

import chronosketch.memory.Meter

/** What is certain about ranks, and what follows for every question asked about them?
  *
  * A profile is four step functions of a key x, each the sum over the bags it covers:
  * A⁻(x) ≤ #{elements ≤ x} ≤ A⁺(x) and B⁻(x) ≤ #{elements > x} ≤ B⁺(x).
  *
  * Guarantee  the exact φ-quantile lies in [[quantileBounds]], always; [[quantile]] is wrong by at most
  *            [[certifiedError]] ranks; a rank lies in [[rankBounds]]
  * Cost       a question O(log m), m the distinct keys held, and O(1) mostly after many ([[RankIndex]]); [[plus]] O(m₁ + m₂)
  * Units      ranks start at 1; errors in ranks
  * Merge      the profile of a union of bags is the sum of their profiles, ties and all
  * Source     Greenwald, Khanna, Space-efficient online computation of quantile summaries, 2001, §2, restated for ties and
  *            for uncertain counts; Singh et al., HistStream, VLDB 2016, §2.3, with stored ranks
  *
  * The arrays hold the functions' values from one distinct key up to the next. Below the first key nothing can be: the
  * minimum is always one of the keys. `aboveLow` and `aboveHigh` have one entry more, for what lies below the first key;
  * they are null where the count is certain, for then B⁻ = n − A⁺ and B⁺ = n − A⁻.
  */
final class RankProfile private (
    val size: Int,
    private val keys: Array[Long],
    private val atMostLow: Array[Long],
    private val atMostHigh: Array[Long],
    private val n: Long,
    private val aboveLow: Array[Long],
    private val aboveHigh: Array[Long]
) {
  def isEmpty: Boolean = size == 0

  /** Least and greatest number of elements there can be. */
  def countLow: Long = if (aboveLow == null) n else aboveLow(0)
  def countHigh: Long = if (aboveHigh == null) n else aboveHigh(0)

  /** The memory of its arrays, and of itself. */
  private[chronosketch] def sizeBytes: Long =
    Meter.ObjectBytes + Seq(keys, atMostLow, atMostHigh, aboveLow, aboveHigh)
      .filter(_ != null).map(array => Meter.longs(array.length)).sum

  def minimum: Long = keys(0)
  def maximum: Long = keys(size - 1)

  /** The i-th distinct key, from 0. */
  def key(i: Int): Long = keys(i)

  // A⁻, A⁺, B⁻, B⁺ at the i-th key; at −1, below the first.
  private def a0(i: Int): Long = if (i < 0) 0L else atMostLow(i)
  private def a1(i: Int): Long = if (i < 0) 0L else atMostHigh(i)
  private def b0(i: Int): Long = if (aboveLow == null) n - a1(i) else aboveLow(i + 1)
  private def b1(i: Int): Long = if (aboveHigh == null) n - a0(i) else aboveHigh(i + 1)

  /** How many ranks short of the one sought the i-th key can be. */
  private def deficit(phi: Phi, i: Int): Long = phi.rank(a0(i) + b1(i)) - a0(i)

  /** How many ranks past the one sought the i-th key can be. LT⁺(v) = A⁺ and GE⁻(v) = B⁻ just below it. */
  private def excess(phi: Phi, i: Int): Long = a1(i - 1) + 1 - phi.rank(a1(i - 1) + b0(i - 1))

  /** How many ranks the answer `key(i)` can be wrong by. */
  def errorOf(phi: Phi, i: Int): Long = math.max(0L, math.max(deficit(phi, i), excess(phi, i)))

  /** The index of the answer whose certified error is the least, within [[quantileBounds]]; of two neighbours equally good the
    * smaller.
    */
  def quantileIndex(phi: Phi): Int =
    if (aboveLow == null && n <= RankIndex.MostElements) indexOfRank(phi.rank(n)) else searched(phi)

  // the quantiles asked before there was an index, and it
  private var questions = 0
  private var index: RankIndex = null

  /** Of a certain count: only one rank is sought, and the errors are differences. */
  private def indexOfRank(rank: Long): Int = {
    if (index == null) {
      questions += 1
      // by then so many searches have taken as long as making it does: who asks a few of each profile never pays for it
      if (questions > RankProfile.FewQuestions + size / RankProfile.KeysAQuestion)
        index = new RankIndex(atMostLow, atMostHigh, size, n)
    }
    val found = index
    nearer(rank, if (found != null) found.crossing(rank) else crossing(rank))
  }

  private def nearer(rank: Long, cross: Int): Int =
    if (cross == size) size - 1
    else if (cross > 0 && errorAt(rank, cross - 1) <= errorAt(rank, cross)) cross - 1
    else cross

  /** The answer for one rank, of a bag whose count is certain. */
  def keyOfRank(rank: Long): Long = keys(nearer(rank, crossing(rank)))

  /** Least and greatest key that the element of this rank can be, of a bag whose count is certain. */
  def keyBoundsOfRank(rank: Long): (Long, Long) = {
    val low = firstWhere(i => atMostHigh(i) >= rank)
    val high = firstWhere(i => atMostLow(i) >= rank)
    (keys(math.min(low, size - 1)), keys(math.min(high, size - 1)))
  }

  private def errorAt(rank: Long, i: Int): Long =
    math.max(0L, math.max(rank - atMostLow(i), a1(i - 1) + 1 - rank))

  private def crossing(rank: Long): Int = {
    var low = 0
    var high = size
    while (low < high) {
      val mid = (low + high) >>> 1
      if (a1(mid - 1) + 1 - rank >= rank - atMostLow(mid)) high = mid else low = mid + 1
    }
    low
  }

  /** [[quantileIndex]], whether the count is certain or not. */
  private[rank] def searched(phi: Phi): Int = {
    // deficit falls and excess grows with i: the best lies where they cross
    var cross = 0
    var past = size
    // nearly all of the ranks sought are of the same counts: a division is what costs here
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

  /** Least and greatest key that the exact φ-quantile can be. */
  def quantileBounds(phi: Phi): (Long, Long) = {
    val low = firstWhere(i => a1(i) >= 1 && phi.reached(a1(i), b0(i)))
    val high = firstWhere(i => a0(i) >= 1 && phi.reached(a0(i), b1(i)))
    (keys(math.min(low, size - 1)), keys(math.min(high, size - 1)))
  }

  /** Where a key stands: the index of the greatest key not above it; −1 below all. */
  def position(key: Long): Int = position(key, 0, size)

  /** The same, of a key that is not below those before `from` and is below those from `until` on. */
  def position(key: Long, from: Int, until: Int): Int = {
    val i = Arrays.binarySearch(keys, from, until, key)
    if (i >= 0) i else -i - 2
  }

  /** Least and greatest number of elements that can be ≤ a key at this position. */
  def rankBounds(position: Int): (Long, Long) = (a0(position), a1(position))

  /** The first of [[rankBounds]], and the second. */
  def rankLow(position: Int): Long = a0(position)
  def rankHigh(position: Int): Long = a1(position)

  /** Number of elements ≤ a key at this position, in the middle of its bounds. */
  def rank(position: Int): Long = a0(position) + (a1(position) - a0(position)) / 2

  /** Share of the elements that are ≤ a key at this position. */
  def cdf(position: Int): Double = share(a0(position).toDouble + a1(position), position)

  /** Shares of the elements between each position and the one before: one more than positions, 1 in all. */
  def pmf(positions: Array[Int]): Array[Double] = Array.tabulate(positions.length + 1) { i =>
    val from = if (i == 0) -1 else positions(i - 1)
    val to = if (i == positions.length) size - 1 else positions(i)
    // from counts, not from shares: 0.9 − 0.6 is not 0.3
    share(a0(to).toDouble + a1(to) - a0(from) - a1(from), to)
  }

  private def share(twiceAtMost: Double, position: Int): Double =
    twiceAtMost / (a0(position).toDouble + a1(position) + b0(position) + b1(position))

  /** The most ranks any answer of [[quantile]] can be wrong by: over φ, where two neighbouring keys are equally good. */
  lazy val certifiedError: Long = {
    var worst = 0L
    var i = 0
    while (i < size) {
      // the answer key(i) takes over from key(i−1) where the deficit of the one is the excess of the other
      val past = a1(i - 1) + 1
      val reach = a0(i - 1)
      val error =
        if (aboveLow == null) (past - reach) / 2
        else RankProfile.crossing(past, reach, a0(i - 1) + b1(i - 1), a1(i - 1) + b0(i - 1))
      if (i > 0 && error > worst) worst = error
      i += 1
    }
    // the two ends: the first rank asked of the minimum, the last of the maximum
    if (isEmpty) worst
    else math.max(worst, math.max(errorOf(RankProfile.First, 0), errorOf(RankProfile.Last, size - 1)))
  }

  /** [[certifiedError]] as a share of the count; 1 where there may be no element at all. */
  def rankError: Double = if (countLow == 0) 1.0 else math.min(1.0, certifiedError.toDouble / countLow)

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

  /** Of a bag whose count is certain, with as few keys as leave rank bounds no further apart than `width`, or than they
    * are; and its minimum and maximum.
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

  /** The first index where a condition that stays true once it is holds; `size` if nowhere. */
  private def firstWhere(condition: Int => Boolean): Int = {
    var low = 0
    var high = size
    while (low < high) {
      val mid = (low + high) >>> 1
      if (condition(mid)) high = mid else low = mid + 1
    }
    low
  }
}

object RankProfile {
  private val First = Phi(0.0)
  private val Last = Phi(1.0)

  /** A search takes as long as so many keys take to index. */
  private val KeysAQuestion = 16
  private val FewQuestions = 16

  /** The value at which φ·most − reach meets past − φ·least, rounded up; at φ = 1 where they meet beyond it. In doubles it could
    * come out too small.
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

  /** A bag whose count is certain. `keys` strictly increase and begin with its minimum; `atMostLow(i)` and `atMostHigh(i)`
    * bound the elements ≤ x for every x from `keys(i)` up to the next key. The arrays are kept, not copied.
    */
  def certain(
      size: Int,
      keys: Array[Long],
      atMostLow: Array[Long],
      atMostHigh: Array[Long],
      n: Long
  ): RankProfile =
    if (size == 0) empty else new RankProfile(size, keys, atMostLow, atMostHigh, n, null, null)

  /** A bag whose count is between two bounds. Its keys are as those of [[certain]], and end with its maximum or a key above it.
    * The arrays are kept, not copied.
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

  /** The same, where of the elements > x, too, is known how many there are: `aboveLow(0)` and `aboveHigh(0)` bound the count, and
    * the entry i + 1 belongs to `keys(i)`.
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

  /** A bag of which any part, or nothing, may count: a bucket that straddles a window's edge. */
  def straddling(bag: RankProfile): RankProfile = partOf(bag, 0L, bag.countHigh)

  /** A bag of which some number of elements counts, at least and at most so many, and nobody knows which. */
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
