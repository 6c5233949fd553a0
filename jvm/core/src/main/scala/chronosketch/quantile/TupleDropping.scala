package chronosketch.quantile

/** Drops tuples into their successors, within a given limit of g + Δ or until a given number is left.
  *
  * Guarantee  g + Δ stays within the limit, or does not change; the first and the last tuple stay
  * Cost       a pass over the tuples for a given limit; two or three more to find a limit for a number of tuples
  * Source     Greenwald, Khanna 2001, COMPRESS; departs: one pass from the right, limits found for a number of tuples
  *
  * To drop a tuple into its successor means to add its g to that of the successor and to remove it.
  */
private[chronosketch] abstract class TupleDropping extends TupleArrays {

  // the dense gaps of the values that were inserted last
  protected val denseGaps = new DenseGaps

  // the tuples are the elements from start until end. Dropping works in place, from the right
  protected var start = 0
  protected var end = 0

  def length: Int = end - start

  /** Drops tuples after an insert; `limit` is E. The new tuples in a dense gap stay, and so do the tuples on either side of it: then
    * later values in these gaps get no larger Δ than these have.
    */
  def drop(limit: Long): Unit = {
    if (limit > 1) dropWithin(limit)
    denseGaps.clear()
  }

  /** Drops tuples with about the smallest limit that leaves at most `target` of them, and not many fewer. The limit is at least the
    * largest g + Δ and at most `most`; it is `most` if none leaves so few.
    *
    * If all tuples had the mean Δ and were filled up to the limit, their number would be n / (limit − mean Δ). The first guess
    * comes from this formula, each further guess from the number that the previous one leaves. If there are many tuples, a part of
    * them is counted to find a good guess. After a few guesses bisection makes sure that the search ends.
    *
    * For the outermost `ends` elements on either side, the limit rises from half of it to all of it. The keys next to the minimum may
    * have any rank up to the limit, so without this the minimum would answer all quantiles near φ = 0.
    */
  def dropTo(target: Int, most: Long, ends: Long): Unit = {
    setRamps(ends)
    measure()
    val fewest = target - target / TupleDropping.Slack
    val aim = target - target / (2.0 * TupleDropping.Slack)
    var low = math.min(most, widest)
    var high = most
    var guess = guessOf(low, high, aim)
    var tries = 0
    while (low < high) {
      val mid =
        if (tries < TupleDropping.Guesses) math.max(low, math.min(high - 1, guess.toLong))
        else low + (high - low) / 2
      val count = remaining(mid, target)
      if (count > target) {
        // if not even the greatest limit leaves so few, there is nothing to search for
        low = if (tries == 1 && high == most && remaining(most, target) > target) high else mid + 1
        guess = mid + (mid - meanDelta) / (2 * TupleDropping.Slack)
      } else {
        high = mid
        guess = meanDelta + (mid - meanDelta) * count / aim
        // another pass over all tuples is not worth the few that it would keep
        if (count >= fewest) low = mid
      }
      tries += 1
    }
    dropWithin(high)
    setRamps(0L)
  }

  /** A limit that leaves about `aim` tuples, estimated from the mean Δ and, if there are many tuples, from a part of them. */
  private def guessOf(low: Long, high: Long, aim: Double): Double = {
    var guess = meanDelta + firstsWeight / aim
    var tries = if (length < TupleDropping.Many) TupleDropping.Guesses else 0
    while (tries < TupleDropping.Guesses) {
      val limit = math.max(low, math.min(high, guess.toLong))
      val about = estimateRemaining(limit)
      guess = meanDelta + (limit - meanDelta) * about / aim
      tries =
        if (math.abs(about - aim) < aim / (4 * TupleDropping.Slack)) TupleDropping.Guesses else tries + 1
    }
    guess
  }

  // the limit rises over the first and the last `ramp` elements, by the share `slope` of it for each. The tuples from `inner` until
  // `outer` have the full limit
  private var ramp = 0L
  private var totalWeight = 0L
  private var slope = 0.0
  private var inner = 0
  private var outer = Int.MaxValue

  private def setRamps(elements: Long): Unit = {
    ramp = elements
    slope = 0.5 / elements
    inner = 0
    outer = Int.MaxValue
    if (elements > 0) {
      totalWeight = weightOf(start, end)
      inner = start
      outer = end
      var sum = 0L
      while (inner < end && sum < elements) { sum += gs(inner); inner += 1 }
      sum = 0L
      while (outer > inner && sum < elements) { outer -= 1; sum += gs(outer) }
    }
  }

  /** The limit for a tuple that has this many elements between itself and the nearer end. */
  private def rampLimit(limit: Long, elements: Long): Long =
    if (elements >= ramp) limit
    else math.min(limit, (limit * (0.5 + slope * elements)).toLong)

  private def weightOf(from: Int, until: Int): Long = {
    var sum = 0L
    var i = from
    while (i < until) { sum += gs(i); i += 1 }
    sum
  }

  /** The largest g + Δ of the tuples that are the first of their key, which determines the certified error. */
  def largest: Long = {
    measure()
    widest
  }

  /** Whether dropping within a limit leaves at most `target` tuples. If there are many tuples, and a part of them shows that far more
    * or far fewer would be left, not all of them are counted.
    */
  def leaves(target: Int, limit: Long): Boolean = {
    val about = if (length < TupleDropping.Many) target.toDouble else estimateRemaining(limit)
    if (math.abs(about - target) * TupleDropping.Slack > target) about < target
    else remaining(limit, target) <= target
  }

  // over tuples that are the first of their key: the largest g + Δ, the total weight and the weighted mean Δ
  private var widest = 0L
  private var firstsWeight, meanDelta = 0.0

  private def measure(): Unit = {
    val k = keys
    val g = gs
    val d = deltas
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
    widest = most
    firstsWeight = elements.toDouble
    meanDelta = doubt / math.max(1.0, firstsWeight)
  }

  /** The number of tuples that `dropWithin(limit)` would leave. Stops counting when there are more than `most`. */
  private def remaining(limit: Long, most: Int): Int =
    2 + countRemaining(start + 1, end, gs(end - 1), limit, most - 2)

  /** An estimate of [[remaining]] from a part of the tuples, in several stretches. */
  private def estimateRemaining(limit: Long): Double = {
    val each = length / (TupleDropping.Stretches * TupleDropping.Part)
    var count = 0
    var after = 0L
    var weighed = end
    var stretch = TupleDropping.Stretches
    while (stretch > 0) {
      val until = start + (length.toLong * stretch / TupleDropping.Stretches).toInt
      if (ramp > 0) after += weightOf(until - 1, weighed)
      weighed = until - 1
      count += countRemaining(until - each, until, after, limit, each)
      stretch -= 1
    }
    count.toDouble * length / (each * TupleDropping.Stretches)
  }

  /** The number of the tuples from `from` until `until` that would be left, without the last one, which stays. There are `afterLast`
    * elements from the last tuple on. Stops counting when more than `most` would be left.
    */
  private def countRemaining(from: Int, until: Int, afterLast: Long, limit: Long, most: Int): Int = {
    val k = keys
    val g = gs
    val d = deltas
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
        if (r >= outer) rampLimit(limit, after)
        else if (r < inner) rampLimit(limit, totalWeight - after)
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
  private def dropWithin(limit: Long): Unit = if (length > 2) {
    var w = end - 1
    var until = w
    var gap = denseGaps.size - 1
    while (gap >= 0) {
      // the tuples before and after the gap stay, too
      val first = lowerBound(denseGaps.low(gap) + 1) - 1
      val next = lowerBound(denseGaps.high(gap))
      val after = math.min(next + 1, until)
      w = dropSpan(w, after, until, limit) - (after - first)
      copyFrom(this, first, w, after - first)
      until = first
      gap -= 1
    }
    if (until > start) {
      w = dropSpan(w, start + 1, until, limit) - 1
      copyFrom(this, start, w, 1)
    }
    start = w
  }

  /** The index of the first tuple whose key is not less. */
  private def lowerBound(key: Long): Int = TupleArrays.lowerBound(keys, start, end, key)

  /** [[dropInto]] for the ramp at the right end, then for the tuples with the full limit, then for the ramp at the left end. */
  private def dropSpan(at: Int, from: Int, until: Int, limit: Long): Int = {
    val right = math.max(from, math.min(until, outer))
    val left = math.max(from, math.min(right, inner))
    val rightEnd = if (right < until) dropInto(at, right, until, limit, weightOf(at, end), 1L) else at
    val middle = dropInto(rightEnd, left, right, limit, ramp, 0L)
    if (from < left) dropInto(middle, from, left, limit, weightOf(start, left), -1L) else middle
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
    val k = keys
    val g = gs
    val d = deltas
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
      val room = if (sign == 0L) limit else rampLimit(limit, near)
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

private object TupleDropping {

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
