package chronosketch.quantile

/** Drops tuples of a union into their successors, within a given limit of g + Δ or until a given number is left.
  *
  * Guarantee  g + Δ stays within the limit, or does not change; the first and the last tuple stay
  * Cost       a pass over the tuples for a given limit; two or three more to find a limit for a number of tuples
  * Source     Greenwald, Khanna 2001, COMPRESS; departs: one pass from the right, limits found for a number of tuples
  *
  * To drop a tuple into its successor means to add its g to that of the successor and to remove it. A thinning drops once.
  *
  * For the outermost `ends` elements on either side, the limit rises from half of it to all of it. The keys next to the minimum may
  * have any rank up to the limit, so without this the minimum would answer all quantiles near φ = 0.
  */
private[quantile] final class Thinning(union: UnitedTuples, ends: Long = 0L) {
  private val start = union.start
  private val end = union.end
  private val length = union.length
  private val ramps = Ramps.of(union, ends)
  private lazy val spread = Spread.of(union)

  /** The largest g + Δ of the tuples that are the first of their key, which determines the certified error. */
  def largest: Long = spread.largest

  /** Drops tuples after an insert; `limit` is E. The new tuples in a dense gap stay, and so do the tuples on either side of it: then
    * later values in these gaps get no larger Δ than these have.
    */
  def drop(limit: Long, gaps: DenseGaps): Unit = if (limit > 1) dropWithin(limit, gaps)

  /** Drops tuples with about the smallest limit that leaves at most `target` of them, and not many fewer. The limit is at least the
    * largest g + Δ and at most `most`; it is `most` if none leaves so few.
    *
    * If all tuples had the mean Δ and were filled up to the limit, their number would be n / (limit − mean Δ). The first guess
    * comes from this formula, each further guess from the number that the previous one leaves. If there are many tuples, a part of
    * them is counted to find a good guess. After a few guesses bisection makes sure that the search ends.
    */
  def dropTo(target: Int, most: Long): Unit = {
    val meanDelta = spread.meanDelta
    val fewest = target - target / Thinning.Slack
    val aim = target - target / (2.0 * Thinning.Slack)
    var low = math.min(most, largest)
    var high = most
    var guess = guessOf(low, high, aim)
    var tries = 0
    while (low < high) {
      val mid =
        if (tries < Thinning.Guesses) math.max(low, math.min(high - 1, guess.toLong))
        else low + (high - low) / 2
      val count = remaining(mid, target)
      if (count > target) {
        // if not even the greatest limit leaves so few, there is nothing to search for
        low = if (tries == 1 && high == most && remaining(most, target) > target) high else mid + 1
        guess = mid + (mid - meanDelta) / (2 * Thinning.Slack)
      } else {
        high = mid
        guess = meanDelta + (mid - meanDelta) * count / aim
        // another pass over all tuples is not worth the few that it would keep
        if (count >= fewest) low = mid
      }
      tries += 1
    }
    dropWithin(high, DenseGaps.none)
  }

  /** A limit that leaves about `aim` tuples, estimated from the mean Δ and, if there are many tuples, from a part of them. */
  private def guessOf(low: Long, high: Long, aim: Double): Double = {
    val meanDelta = spread.meanDelta
    var guess = meanDelta + spread.weight / aim
    var tries = if (length < Thinning.Many) Thinning.Guesses else 0
    while (tries < Thinning.Guesses) {
      val limit = math.max(low, math.min(high, guess.toLong))
      val about = estimateRemaining(limit)
      guess = meanDelta + (limit - meanDelta) * about / aim
      tries =
        if (math.abs(about - aim) < aim / (4 * Thinning.Slack)) Thinning.Guesses else tries + 1
    }
    guess
  }

  /** Whether dropping within a limit leaves at most `target` tuples. If there are many tuples, and a part of them shows that far more
    * or far fewer would be left, not all of them are counted.
    */
  def leaves(target: Int, limit: Long): Boolean = {
    val about = if (length < Thinning.Many) target.toDouble else estimateRemaining(limit)
    if (math.abs(about - target) * Thinning.Slack > target) about < target
    else remaining(limit, target) <= target
  }

  /** The number of tuples that dropping within a limit would leave. Stops counting when there are more than `most`. */
  private def remaining(limit: Long, most: Int): Int =
    2 + countRemaining(start + 1, end, union.gs(end - 1), limit, most - 2)

  /** An estimate of [[remaining]] from a part of the tuples, in several stretches. */
  private def estimateRemaining(limit: Long): Double = {
    val each = length / (Thinning.Stretches * Thinning.Part)
    var count = 0
    var after = 0L
    var weighed = end
    var stretch = Thinning.Stretches
    while (stretch > 0) {
      val until = start + (length.toLong * stretch / Thinning.Stretches).toInt
      if (ramps.elements > 0) after += Ramps.weightOf(union, until - 1, weighed)
      weighed = until - 1
      count += countRemaining(until - each, until, after, limit, each)
      stretch -= 1
    }
    count.toDouble * length / (each * Thinning.Stretches)
  }

  /** The number of the tuples from `from` until `until` that would be left, without the last one, which stays. There are `afterLast`
    * elements from the last tuple on. Stops counting when more than `most` would be left.
    */
  private def countRemaining(from: Int, until: Int, afterLast: Long, limit: Long, most: Int): Int = {
    val k = union.keys
    val g = union.gs
    val d = union.deltas
    val ramps = this.ramps
    val inner = ramps.inner
    val outer = ramps.outer
    var key = k(until - 1)
    var weight = g(until - 1)
    var delta = d(until - 1)
    var count = 0
    var after = afterLast
    var r = until - 2
    while (r >= from && count <= most) {
      val pair = k(r) == key
      val total = g(r) + weight
      val joined = if (pair) math.max(0L, d(r) - weight) else delta
      val room =
        if (r >= outer) ramps.limit(limit, after)
        else if (r < inner) ramps.limit(limit, ramps.total - after)
        else limit
      after += g(r)
      // without a branch, as in dropInto; a pair is not dropped into the last tuple, which may be the maximum
      val fits = total + joined <= room && !(pair && count == 0)
      key = if (fits) key else k(r)
      weight = if (fits) total else g(r)
      delta = if (fits) joined else d(r)
      count += (if (fits) 0 else 1)
      r -= 1
    }
    count
  }

  /** Drops tuples between the dense gaps. The first tuple is the minimum: it stays, and nothing is dropped into it. */
  private def dropWithin(limit: Long, gaps: DenseGaps): Unit = if (length > 2) {
    var w = end - 1
    var until = w
    var gap = gaps.size - 1
    while (gap >= 0) {
      // the tuples before and after the gap stay, too
      val first = lowerBound(gaps.low(gap) + 1) - 1
      val next = lowerBound(gaps.high(gap))
      val after = math.min(next + 1, until)
      w = dropSpan(w, after, until, limit) - (after - first)
      union.copyFrom(union, first, w, after - first)
      until = first
      gap -= 1
    }
    if (until > start) {
      w = dropSpan(w, start + 1, until, limit) - 1
      union.copyFrom(union, start, w, 1)
    }
    union.start = w
  }

  /** The index of the first tuple whose key is not less. */
  private def lowerBound(key: Long): Int = TupleArrays.lowerBound(union.keys, start, end, key)

  /** [[dropInto]] for the ramp at the right end, then for the tuples with the full limit, then for the ramp at the left end. */
  private def dropSpan(at: Int, from: Int, until: Int, limit: Long): Int = {
    val right = math.max(from, math.min(until, ramps.outer))
    val left = math.max(from, math.min(right, ramps.inner))
    val rightEnd =
      if (right < until) dropInto(at, right, until, limit, Ramps.weightOf(union, at, end), 1L) else at
    val middle = dropInto(rightEnd, left, right, limit, ramps.elements, 0L)
    if (from < left) dropInto(middle, from, left, limit, Ramps.weightOf(union, start, left), -1L) else middle
  }

  /** Goes from the tuple before `until` down to `from` and drops each one into its successor, if g + g' + Δ' stays within the limit,
    * with g' and Δ' of the successor. The first successor is at index `at`. Returns the index of the leftmost remaining tuple.
    *
    * A pair is never dropped into the last tuple of all: that is the maximum, whose Δ must be 0.
    *
    * On a ramp, `elements` is the number of elements between the first tuple and the nearer end, and `sign` says whether it grows (1)
    * or falls (−1) from tuple to tuple. With the full limit `sign` is 0.
    */
  private def dropInto(at: Int, from: Int, until: Int, limit: Long, elements: Long, sign: Long): Int = {
    val k = union.keys
    val g = union.gs
    val d = union.deltas
    val ramps = this.ramps
    val last = end - 1
    var w = at
    // the tuple at w is the successor of the one at r
    var key = k(w)
    var weight = g(w)
    var delta = d(w)
    var near = elements
    var r = until - 1
    while (r >= from) {
      val pair = k(r) == key
      val total = g(r) + weight
      // if a pair becomes one tuple, this Δ keeps r_max of the first
      val joined = if (pair) math.max(0L, d(r) - weight) else delta
      val room = if (sign == 0L) limit else ramps.limit(limit, near)
      near += sign * g(r)
      // without a branch: both outcomes are about equally likely
      val fits = total + joined <= room && !(pair && w == last)
      key = if (fits) key else k(r)
      weight = if (fits) total else g(r)
      delta = if (fits) joined else d(r)
      val stays = if (fits) 0 else 1
      w -= stays
      k(w) = key
      g(w) = weight
      d(w) = delta
      r -= 1
    }
    w
  }
}

private object Thinning {

  /** One in this many of the target number of tuples may be dropped unnecessarily. */
  private val Slack = 12

  /** The number of guesses before the search goes on by bisection. */
  private val Guesses = 6

  /** With this many tuples or more, the number that a limit leaves is estimated first, from one in [[Part]] of them in several stretches.
    */
  private val Many = 1 << 12
  private val Part = 8
  private val Stretches = 8
}

/** Lowers the limit near the ends of a union: over the first and the last `elements` of all `total` elements it rises from half of it
  * to all of it. The tuples from `inner` until `outer` have the full limit.
  */
private final class Ramps private (val elements: Long, val total: Long, val inner: Int, val outer: Int) {
  private val slope = 0.5 / elements

  /** The limit for a tuple that has this many elements between itself and the nearer end. */
  def limit(full: Long, between: Long): Long =
    if (between >= elements) full
    else math.min(full, (full * (0.5 + slope * between)).toLong)
}

private object Ramps {
  private val none = new Ramps(0L, 0L, 0, Int.MaxValue)

  def of(union: UnitedTuples, elements: Long): Ramps =
    if (elements <= 0) none
    else {
      var inner = union.start
      var outer = union.end
      var sum = 0L
      while (inner < union.end && sum < elements) { sum += union.gs(inner); inner += 1 }
      sum = 0L
      while (outer > inner && sum < elements) { outer -= 1; sum += union.gs(outer) }
      new Ramps(elements, weightOf(union, union.start, union.end), inner, outer)
    }

  /** The number of elements of the tuples from `from` until `until`. */
  def weightOf(union: UnitedTuples, from: Int, until: Int): Long = {
    val g = union.gs
    var sum = 0L
    var i = from
    while (i < until) { sum += g(i); i += 1 }
    sum
  }
}

/** Over the tuples that are the first of their key: the largest g + Δ, the total weight and the weighted mean Δ. */
private final class Spread private (val largest: Long, val weight: Double, val meanDelta: Double)

private object Spread {
  def of(union: UnitedTuples): Spread = {
    val k = union.keys
    val g = union.gs
    val d = union.deltas
    val start = union.start
    val end = union.end
    var most = 1L
    var elements = 0L
    var doubt = 0.0
    var i = start
    while (i < end) {
      if (i == start || k(i) != k(i - 1)) {
        most = math.max(most, g(i) + d(i))
        elements += g(i)
        doubt += g(i).toDouble * d(i)
      }
      i += 1
    }
    val weight = elements.toDouble
    new Spread(most, weight, doubt / math.max(1.0, weight))
  }
}

/** The dense gaps of a buffer: gaps between neighbouring tuples in which most of its values lie.
  *
  * Guarantee  a gap contains the values strictly between the keys of two neighbouring tuples. Gaps are reported only if they contain
  *            at least half of a few samples: values drawn evenly from the sorted buffer, without those outside of all tuples
  * Cost       a binary search per sample
  *
  * If values come from several sources that each rise or fall, such as the two ends of a zigzag, each source stays in one gap, and
  * the next values will lie in the same gaps (docs/algorithms.md, Dense gaps).
  *
  * @param size
  *   the number of dense gaps. They are numbered in ascending order of their keys
  */
private[quantile] final class DenseGaps private (lows: Array[Long], highs: Array[Long], val size: Int) {

  /** The key of the tuple before a gap. */
  def low(gap: Int): Long = lows(gap)

  /** The key of the tuple after a gap. */
  def high(gap: Int): Long = highs(gap)
}

private[quantile] object DenseGaps {
  val none: DenseGaps = new DenseGaps(Array.emptyLongArray, Array.emptyLongArray, 0)

  /** The number of samples. A gap is dense if two neighbouring samples lie in it. */
  private val Samples = 16

  /** This many samples must lie between the first and the last tuple. The ranks of values outside are certain anyway. */
  private val FewestInside = 4

  // not a gap: below or above all tuples, or equal to a tuple's key
  private val Outside = -2
  private val AtTuple = -1

  /** With fewer tuples, two samples often lie in one gap by chance. */
  private val FewestTuples = 64

  /** The index of the tuple after the gap that contains a value; [[Outside]] or [[AtTuple]] if no gap does. */
  private def gapOf(tuples: Tuples, value: Long): Int = {
    val i = TupleArrays.lowerBound(tuples.keys, 0, tuples.size, value)
    if (i == 0 || i == tuples.size) Outside else if (tuples.keys(i) == value) AtTuple else i
  }

  /** Finds the dense gaps of the first n values, which are sorted. */
  def find(tuples: Tuples, values: Array[Long], n: Int): DenseGaps = {
    val share = n / Samples
    if (share <= 1 || tuples.size < FewestTuples) none
    else {
      val lows, highs = new Array[Long](Samples)
      var found = 0
      var previous = Outside
      var inDenseGaps = 0
      var inside = 0
      var i = 0
      // stop once the remaining samples, and the one before them, can no longer reach one half
      while (i < Samples && inside <= 2 * inDenseGaps + 2 + Samples - i) {
        val gap = gapOf(tuples, values(i * share))
        if (gap != Outside) inside += 1
        if (gap >= 0 && gap == previous) {
          if (found == 0 || highs(found - 1) != tuples.keys(gap)) {
            lows(found) = tuples.keys(gap - 1)
            highs(found) = tuples.keys(gap)
            found += 1
            inDenseGaps += 1
          }
          inDenseGaps += 1
        }
        previous = gap
        i += 1
      }
      if (inside < FewestInside || 2 * inDenseGaps < inside) none else new DenseGaps(lows, highs, found)
    }
  }
}
