package chronosketch.quantile

import chronosketch.Refusal
import chronosketch.sort.KeySort

/** Where two lists of tuples are united and thinned before a summary takes them: one a thread, so that thousands of summaries
  * in a task share the room.
  */
private[chronosketch] final class TupleScratch extends TupleArrays {
  val sorting: KeySort = KeySort.own

  /** Where many keys become tuples without being sorted. */
  val blocks = new KeyBlocks

  /** What is being merged from bytes: not where the union is made. */
  val stored = new Tuples

  /** Where lists that wait are united. */
  val waiting = new Tuples

  // of the values that were inserted last
  private val crowds = new Crowds
  private var index: KeyIndex = null
  private var places = new Array[Int](1024)

  /** Room for where so many keys belong. */
  def placesFor(n: Int): Array[Int] = {
    if (places.length < n) places = new Array[Int](n)
    places
  }

  private var outside = new Array[Long](1024)

  /** Room for so many keys that are not counted in cells. */
  def outsideFor(n: Int): Array[Long] = {
    if (outside.length < n) outside = new Array[Long](n)
    outside
  }

  // the tuples are elements start until end: dropping works from the right, in place
  private var start = 0
  private var end = 0

  def length: Int = end - start

  /** The index of a summary's tuples, built anew where the last one was of others. One a thread: thousands of indexes would
    * crowd the tuples themselves out of the caches.
    */
  def indexOf(summaryKeys: Array[Long], size: Int, version: Long): KeyIndex =
    if (size > TupleScratch.MostKept) new KeyIndex(summaryKeys, size, version, isFine = false)
    else {
      val isSame = index != null && index.isOf(summaryKeys, version)
      // asked for again, it is worth a finer one
      if (!isSame || !index.isFine) index = new KeyIndex(summaryKeys, size, version, isFine = isSame)
      index
    }

  /** The union of tuples with plain values in order: [[combine]] for tuples of one element, whose g + Δ − 1 is 0.
    *
    * Which side comes next is a coin toss, so it is computed, not branched on; ties are rare or in runs.
    */
  def insert(a: Tuples, values: Array[Long], count: Int): Unit = {
    val an = a.size
    reserve(an.toLong + count)
    crowds.find(a, values, count)
    val ak = a.keys
    val ag = a.gs
    val ad = a.deltas
    val k = keys
    val g = gs
    val d = deltas
    var i = if (count == 0) an else TupleArrays.place(ak, 0, an, values(0))
    copyFrom(a, 0, 0, i)
    var j = 0
    var o = i
    // less than every value: no tie is new
    var last = if (i > 0) ak(i - 1) else 0L
    var equal = 0 // tuples before this one that have its key: 0, 1, or 2 for more
    while (i < an && j < count) {
      val held = ak(i)
      val value = values(j)
      val others = ag(i) - 1
      val delta = ad(i)
      val fromHeld = if (held <= value) 1 else 0
      val mask = -fromHeld.toLong
      val key = value + ((held - value) & mask)
      k(o) = key
      g(o) = 1 + (others & mask)
      d(o) = delta + (others & ~mask)
      i += fromHeld
      j += 1 - fromHeld
      if (o > 0 && key == last) {
        equal += 1
        if (equal == 1) d(o) = 0L
        else {
          o -= 1
          g(o) += g(o + 1)
        }
      } else equal = 0
      last = key
      o += 1
    }
    while (j < count) {
      val value = values(j)
      if (o > 0 && value == last) equal += 1 else equal = 0
      if (equal > 1) g(o - 1) += 1
      else {
        k(o) = value
        g(o) = 1L
        d(o) = 0L
        o += 1
      }
      last = value
      j += 1
    }
    // greater than every value: no tie is new
    System.arraycopy(ak, i, k, o, an - i)
    System.arraycopy(ag, i, g, o, an - i)
    System.arraycopy(ad, i, d, o, an - i)
    start = 0
    end = o + an - i
  }

  /** The union with the tuples of values that came together: what is a crowd among them stays for a pass. */
  def insert(a: Tuples, b: Tuples): Unit = {
    combine(a, b)
    crowds.find(a, b.keys, b.size)
  }

  /** The union of two lists of tuples. */
  def combine(a: Tuples, b: Tuples): Unit = {
    crowds.clear()
    reserve(a.size.toLong + b.size)
    start = 0
    end = unite(a, 0, a.size, b, 0, b.size, 0)
  }

  /** The union with the tuples of values of which none is less than the minimum or greater than the maximum. */
  def combineWithin(a: Tuples, b: Tuples): Unit = {
    combine(a, b)
    // it stays the minimum, whatever the other side leaves in doubt
    deltas(start) = 0L
  }

  private def reserve(n: Long): Unit = if (n > keys.length) {
    TupleScratch.requireRoom(n)
    resize(math.min(TupleScratch.MostTuples.toLong, n + n / 4).toInt)
  }

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
    * that, and each of the next from the one before. Halving comes to an end where guesses do not.
    *
    * For the outermost `ends` elements on either side, the limit rises from half of it to all of it. The keys next to the minimum may
    * have any rank up to the limit, so without this the minimum answers all quantiles near φ = 0.
    */
  def dropTo(target: Int, most: Long, ends: Long): Unit = {
    findEnds(ends)
    measure()
    val fewest = target - target / TupleScratch.Slack
    val aim = target - target / (2.0 * TupleScratch.Slack)
    var low = math.min(most, widest)
    var high = most
    var guess = meanDelta + meanOf / aim
    var tries = 0
    while (low < high) {
      val mid =
        if (tries < TupleScratch.Guesses) math.max(low, math.min(high - 1, guess.toLong))
        else low + (high - low) / 2
      val count = left(mid, target)
      if (count > target) {
        low = mid + 1
        guess = mid + (mid - meanDelta) / (2 * TupleScratch.Slack)
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

  // for so many elements the limit rises, by this share of it for each; it does not for the tuples from `inner` until `outer`
  private var rising = 0L
  private var slope = 0.0
  private var inner = 0
  private var outer = Int.MaxValue

  private def findEnds(elements: Long): Unit = {
    rising = elements
    slope = 0.5 / elements
    inner = 0
    outer = Int.MaxValue
    if (elements > 0) {
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

  /** Whether dropping within a limit leaves at most so many. */
  def leaves(target: Int, limit: Long): Boolean = left(limit, target) <= target

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
  private def left(limit: Long, most: Int): Int = {
    val k = keys
    val g = gs
    val d = deltas
    var key = k(end - 1)
    var weight = g(end - 1)
    var delta = d(end - 1)
    var count = 2
    var after = weight
    val elements = if (rising > 0) weightOf(start, end) else 0L
    var r = end - 2
    while (r > start && count <= most) {
      val pair = k(r) == key
      val total = g(r) + weight
      val joined = if (pair) math.max(0L, d(r) - weight) else delta
      val room =
        if (r >= outer) rise(limit, after) else if (r < inner) rise(limit, elements - after) else limit
      after += g(r)
      // computed, not branched on, as in dropWithin; of two that are left the second is the last
      val fits = total + joined <= room && !(pair && count == 2)
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

  def copyTo(k: Array[Long], g: Array[Long], d: Array[Long]): Unit = {
    System.arraycopy(keys, start, k, 0, length)
    System.arraycopy(gs, start, g, 0, length)
    System.arraycopy(deltas, start, d, 0, length)
    start = 0
    end = 0
    if (keys.length > TupleScratch.MostKept) resize(1024)
  }
}

private[chronosketch] object TupleScratch {

  private val ofThread: ThreadLocal[TupleScratch] = ThreadLocal.withInitial(() => new TupleScratch)

  /** That of the thread. */
  def own: TupleScratch = ofThread.get()

  /** Room for more than this is given back after use: a single giant must not hold it for the life of the thread. */
  val MostKept: Int = 1 << 18

  /** One part in so many of the tuples asked for may be dropped beyond need. */
  private val Slack = 12

  /** How often a limit is guessed before the rest is halved. */
  private val Guesses = 6

  /** Two arrays' worth in a Java array. */
  val MostTuples: Int = Int.MaxValue - 16

  def requireRoom(tuples: Long): Unit = if (tuples > MostTuples)
    throw Refusal("CHRONOSKETCH_SKETCH_TOO_LARGE", "limit" -> MostTuples.toString)
}
