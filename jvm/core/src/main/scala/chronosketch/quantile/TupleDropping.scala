package chronosketch.quantile

/** Which tuples go into their successors, so that few are left, or as many as a limit allows?
  *
  * Guarantee  g + Δ stays within the limit, or is what it was; the first and the last stay
  * Cost       a pass over the tuples for a limit that is known; two or three more where it is looked for
  * Source     Greenwald, Khanna 2001, COMPRESS; departs: one pass from the right, limits found for a number of tuples
  */
private[chronosketch] abstract class TupleDropping extends TupleArrays {

  // of the values that were inserted last
  protected val crowds = new Crowds

  // the tuples are elements start until end: dropping works from the right, in place
  protected var start = 0
  protected var end = 0

  def length: Int = end - start

  /** Drops tuples into their successors while inserting, where E is `limit`. A crowd of new tuples stays as it is, and so does the gap
    * on either side of it: what comes into them next has no more Δ than they have.
    */
  def drop(limit: Long): Unit = {
    if (limit > 1) dropWithin(limit)
    crowds.clear()
  }

  /** Drops with about the smallest limit, from the largest g + Δ there is up to `most`, that leaves at most `target` tuples, and not
    * many fewer; with `most` where none does.
    *
    * Tuples of the mean Δ that are filled up to a limit are as many as n goes into what is left of it: the first guess is made from
    * that, and each of the next from the one before. Of many tuples a part tells which guess is good. Halving comes to an end where
    * guesses do not.
    *
    * For the outermost `ends` elements on either side, the limit rises from half of it to all of it. The keys next to the minimum may
    * have any rank up to the limit, so without this the minimum answers all quantiles near φ = 0.
    */
  def dropTo(target: Int, most: Long, ends: Long): Unit = {
    findEnds(ends)
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
      val count = left(mid, target)
      if (count > target) {
        // where not even the greatest limit serves, there is nothing to look for
        low = if (tries == 1 && high == most && left(most, target) > target) high else mid + 1
        guess = mid + (mid - meanDelta) / (2 * TupleDropping.Slack)
      } else {
        high = mid
        guess = meanDelta + (mid - meanDelta) * count / aim
        // a pass over all of them is not worth the last tuples
        if (count >= fewest) low = mid
      }
      tries += 1
    }
    dropWithin(high)
    findEnds(0L)
  }

  /** A limit that leaves about so many tuples: told by a part of them where they are many, else by the means. */
  private def guessOf(low: Long, high: Long, aim: Double): Double = {
    var guess = meanDelta + meanOf / aim
    var tries = if (length < TupleDropping.Many) TupleDropping.Guesses else 0
    while (tries < TupleDropping.Guesses) {
      val limit = math.max(low, math.min(high, guess.toLong))
      val about = leftAbout(limit)
      guess = meanDelta + (limit - meanDelta) * about / aim
      tries =
        if (math.abs(about - aim) < aim / (4 * TupleDropping.Slack)) TupleDropping.Guesses else tries + 1
    }
    guess
  }

  // for so many elements the limit rises, by this share of it for each; it does not for the tuples from `inner` until `outer`
  private var rising = 0L
  private var all = 0L
  private var slope = 0.0
  private var inner = 0
  private var outer = Int.MaxValue

  private def findEnds(elements: Long): Unit = {
    rising = elements
    slope = 0.5 / elements
    inner = 0
    outer = Int.MaxValue
    if (elements > 0) {
      all = weightOf(start, end)
      inner = start
      outer = end
      var sum = 0L
      while (inner < end && sum < elements) { sum += gs(inner); inner += 1 }
      sum = 0L
      while (outer > inner && sum < elements) { outer -= 1; sum += gs(outer) }
    }
  }

  /** The limit where so many elements lie between the tuple and the nearer end. */
  private def rise(limit: Long, elements: Long): Long =
    if (elements >= rising) limit
    else math.min(limit, (limit * (0.5 + slope * elements)).toLong)

  private def weightOf(from: Int, until: Int): Long = {
    var sum = 0L
    var i = from
    while (i < until) { sum += gs(i); i += 1 }
    sum
  }

  /** The largest g + Δ where the key differs from the one before: what the certificate comes from. */
  def largest: Long = {
    measure()
    widest
  }

  /** Whether dropping within a limit leaves at most so many; where they are many, and a part tells that it leaves far more or far fewer,
    * all are not counted.
    */
  def leaves(target: Int, limit: Long): Boolean = {
    val about = if (length < TupleDropping.Many) target.toDouble else leftAbout(limit)
    if (math.abs(about - target) * TupleDropping.Slack > target) about < target
    else left(limit, target) <= target
  }

  // of the tuples that are the first with their key: the largest g + Δ, how many elements they stand for, and those's mean Δ
  private var widest = 0L
  private var meanOf, meanDelta = 0.0

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
    meanOf = elements.toDouble
    meanDelta = doubt / math.max(1.0, meanOf)
  }

  /** How many tuples `dropWithin(limit)` would leave: as soon as they are more than `most`, just that. */
  private def left(limit: Long, most: Int): Int = 2 + leftOf(start + 1, end, gs(end - 1), limit, most - 2)

  /** About how many that are: those of some stretches, for all. */
  private def leftAbout(limit: Long): Double = {
    val each = length / (TupleDropping.Stretches * TupleDropping.Part)
    var count = 0
    var after = 0L
    var weighed = end
    var stretch = TupleDropping.Stretches
    while (stretch > 0) {
      val until = start + (length.toLong * stretch / TupleDropping.Stretches).toInt
      if (rising > 0) after += weightOf(until - 1, weighed)
      weighed = until - 1
      count += leftOf(until - each, until, after, limit, each)
      stretch -= 1
    }
    count.toDouble * length / (each * TupleDropping.Stretches)
  }

  /** How many tuples from `from` until the last but one of `until` would be left, as soon as they are more than `most` just that, where
    * the last stays and the elements from it on are `after`.
    */
  private def leftOf(from: Int, until: Int, afterLast: Long, limit: Long, most: Int): Int = {
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
        if (r >= outer) rise(limit, after) else if (r < inner) rise(limit, all - after) else limit
      after += g(r)
      // computed, not branched on, as in dropWithin; the first of these may be the last of all
      val fits = total + joined <= room && !(pair && count == 0)
      key = if (fits) key else k(r)
      weight = if (fits) total else g(r)
      delta = if (fits) joined else d(r)
      count += (if (fits) 0 else 1)
      r -= 1
    }
    count
  }

  /** [[dropSpan]] on both sides of the crowds. Never the first, nor anything into it: it is the minimum. */
  private def dropWithin(limit: Long): Unit = if (length > 2) {
    var w = end - 1
    var until = w
    var c = crowds.size - 1
    while (c >= 0) {
      // from the neighbour before the crowd to the one after it, which stay, too
      val first = place(crowds.low(c) + 1) - 1
      val next = place(crowds.high(c))
      val after = math.min(next + 1, until)
      w = dropSpan(w, after, until, limit) - (after - first)
      copyFrom(this, first, w, after - first)
      until = first
      c -= 1
    }
    if (until > start) {
      w = dropSpan(w, start + 1, until, limit) - 1
      copyFrom(this, start, w, 1)
    }
    start = w
  }

  /** The first tuple whose key is not less. */
  private def place(key: Long): Int = TupleArrays.place(keys, start, end, key)

  /** [[dropInto]], first where the limit rises from the right end, then where it does not, then where it rises from the left end. */
  private def dropSpan(at: Int, from: Int, until: Int, limit: Long): Int = {
    val right = math.max(from, math.min(until, outer))
    val left = math.max(from, math.min(right, inner))
    val rightEnd = if (right < until) dropInto(at, right, until, limit, weightOf(at, end), 1L) else at
    val middle = dropInto(rightEnd, left, right, limit, rising, 0L)
    if (from < left) dropInto(middle, from, left, limit, weightOf(start, left), -1L) else middle
  }

  /** From right to left, each tuple from `until` down to `from` into its successor, which is the one at w at first, where
    * g + g' + Δ' stays within the limit for Δ'; where the last of them is then. Never a pair into the last of all, whose Δ is 0: it
    * is the maximum. Where the limit rises, `elements` lie between the first of these tuples and the nearer end, and `sign` says whether
    * the next one has more of them or fewer; elsewhere `sign` is 0.
    */
  private def dropInto(at: Int, from: Int, until: Int, limit: Long, elements: Long, sign: Long): Int = {
    val k = keys
    val g = gs
    val d = deltas
    val last = end - 1
    var w = at
    // the tuple at w, the successor of the one at r
    var key = k(w)
    var weight = g(w)
    var delta = d(w)
    var near = elements
    var r = until - 1
    while (r >= from) {
      val pair = k(r) == key
      val total = g(r) + weight
      // of a pair made one, the Δ that keeps the first's r_max
      val joined = if (pair) math.max(0L, d(r) - weight) else delta
      val room = if (sign == 0L) limit else rise(limit, near)
      near += sign * g(r)
      // as likely as not: computed, not branched on
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

  /** One part in so many of the tuples asked for may be dropped beyond need. */
  private val Slack = 12

  /** How often a limit is guessed before the rest is halved. */
  private val Guesses = 6

  /** Of so many tuples a part tells how many a limit leaves: one in so many, in so many stretches. */
  private val Many = 1 << 12
  private val Part = 8
  private val Stretches = 8
}
