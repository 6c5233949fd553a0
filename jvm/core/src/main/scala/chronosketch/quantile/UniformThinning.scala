package chronosketch.quantile

/** Drops tuples within a limit of g + Δ that is the same at all ranks, apart from the ends of a union.
  *
  * Units  the limit is a number of elements
  *
  * For the outermost `ends` elements on either side, the limit rises from half of it to all of it. The keys next to the minimum may
  * have any rank up to the limit, so without this the minimum would answer all quantiles near φ = 0.
  */
private[quantile] final class UniformThinning(tuples: UnitedTuples, ends: Long = 0L)
    extends Thinning(tuples) {
  private val ramps = Ramps.of(union, ends)

  protected def measure(): Spread = UniformThinning.measure(union)

  protected def isRankNeeded: Boolean = ramps.elements > 0

  /** The number of the tuples from `from` until `until` that would be left, without the last one, which stays. There are `afterLast`
    * elements from the last tuple on. Stops counting when more than `most` would be left.
    */
  protected def countRemaining(from: Int, until: Int, afterLast: Long, limit: Long, most: Int): Int = {
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

  /** [[dropInto]] for the ramp at the right end, then for the tuples with the full limit, then for the ramp at the left end. */
  protected def dropSpan(at: Int, from: Int, until: Int, limit: Long): Int = {
    val right = math.max(from, math.min(until, ramps.outer))
    val left = math.max(from, math.min(right, ramps.inner))
    val rightEnd =
      if (right < until) dropInto(at, right, until, limit, weightOf(at, end), 1L) else at
    val middle = dropInto(rightEnd, left, right, limit, ramps.elements, 0L)
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

private object UniformThinning {
  def measure(union: UnitedTuples): Spread = {
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
      new Ramps(elements, Thinning.weightOf(union, union.start, union.end), inner, outer)
    }
}
