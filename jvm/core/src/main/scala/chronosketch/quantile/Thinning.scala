package chronosketch.quantile

/** Drops tuples of a union into their successors, within a given limit or until a given number is left.
  *
  * Guarantee  g + Δ stays within the limit, or does not change; the first and the last tuple stay
  * Cost       a pass over the tuples for a given limit; two or three more to find a limit for a number of tuples
  * Units      a limit is in the units of a [[Tolerance]]; with a greater limit more tuples are dropped
  * Source     Greenwald, Khanna 2001, COMPRESS; departs: one pass from the right, limits found for a number of tuples
  *
  * To drop a tuple into its successor means to add its g to that of the successor and to remove it. A thinning drops once.
  */
private[quantile] abstract class Thinning(protected final val union: UnitedTuples) {
  protected final val start = union.start
  protected final val end = union.end
  private val length = union.length
  private lazy val spread = measure()

  /** The largest limit that a gap uses before any drop. */
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
      if (isRankNeeded) after += weightOf(until - 1, weighed)
      weighed = until - 1
      count += countRemaining(until - each, until, after, limit, each)
      stretch -= 1
    }
    count.toDouble * length / (each * Thinning.Stretches)
  }

  /** Measures how much of the limits all tuples use. */
  protected def measure(): Spread

  /** Whether [[countRemaining]] needs the number of elements after its tuples. */
  protected def isRankNeeded: Boolean

  /** The number of the tuples from `from` until `until` that would be left, without the last one, which stays. There are `afterLast`
    * elements from the last tuple on. Stops counting when more than `most` would be left.
    */
  protected def countRemaining(from: Int, until: Int, afterLast: Long, limit: Long, most: Int): Int

  /** Goes from the tuple before `until` down to `from` and drops each one into its successor, if the limit allows it. The first
    * successor is at index `at`. Returns the index of the leftmost remaining tuple.
    *
    * If a pair becomes one tuple, its Δ keeps r_max of the first. A pair is never dropped into the last tuple of all: that is the
    * maximum, whose Δ must be 0.
    */
  protected def dropSpan(at: Int, from: Int, until: Int, limit: Long): Int

  /** The number of elements of the tuples from `from` until `until`. */
  protected final def weightOf(from: Int, until: Int): Long = Thinning.weightOf(union, from, until)

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
}

private[quantile] object Thinning {

  /** One in this many of the target number of tuples may be dropped unnecessarily. */
  private val Slack = 12

  /** The number of guesses before the search goes on by bisection. */
  private val Guesses = 6

  /** With this many tuples or more, the number that a limit leaves is estimated first, from one in [[Part]] of them in several stretches.
    */
  private val Many = 1 << 12
  private val Part = 8
  private val Stretches = 8

  /** The number of elements of the tuples from `from` until `until`. */
  def weightOf(tuples: TupleArrays, from: Int, until: Int): Long = {
    val g = tuples.gs
    var sum = 0L
    var i = from
    while (i < until) { sum += g(i); i += 1 }
    sum
  }
}

/** How much of the limit the tuples use that are the first of their key.
  *
  * @param largest
  *   the largest limit that a tuple uses
  * @param weight
  *   the number of tuples times the limit, if they had no Δ and were filled up to the limit
  * @param meanDelta
  *   the weighted mean of what their Δ use of the limit
  */
private final class Spread(val largest: Long, val weight: Double, val meanDelta: Double)
