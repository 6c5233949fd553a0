package chronosketch.quantile

import java.util.Arrays

import chronosketch.counted.{ElementCount, SortedKeys}
import chronosketch.domain.Domain
import chronosketch.memory.Meter

/** Merges many sketches and sorted keys into one sketch, and drops tuples only once, after all are united.
  *
  * Guarantee  the union has every tuple of each sketch before it is thinned, within ε
  * Cost       log₂(lists) steps per tuple, in arrays that are used again, and a few passes over the union. If there are only
  *            keys, one load per key that stays
  * Source     as [[GreenwaldKhanna]]
  */
private[chronosketch] final class TupleUnion(domain: Domain, epsilon: Double) {
  private val lists = new WaitingTuples

  def isEmpty: Boolean = lists.isEmpty

  def add(sketch: GreenwaldKhanna): Unit = {
    val tuples = sketch.summarised
    if (!tuples.isEmpty) lists.add(tuples)
  }

  /** Returns the sketch of everything added and of `keys`, and removes what was added. The sketch has at most `most(n)` tuples for n
    * elements, or as few as ε allows. The share `ends` of the elements on either side gets more certain ranks than the others:
    * [[Thinning]].
    */
  def summary(keys: SortedKeys, ends: Double, most: Long => Int): GreenwaldKhanna = {
    val sketch = new GreenwaldKhanna(domain, epsilon)
    if (lists.isEmpty) sketch.restore(ofKeys(keys, most(keys.total)))
    else {
      if (keys.total > 0) lists.add(Tuples.exact(keys))
      sketch.restore(united(ends, most))
    }
    sketch
  }

  /** All ranks are known, so the keys at some of them are enough. */
  private def ofKeys(sorted: SortedKeys, most: Int): Tuples =
    if (sorted.exactTuples <= most) Tuples.exact(sorted)
    else {
      // one tuple is the least key, the others end a step each
      val step = (sorted.total + most - 3) / (most - 1)
      Tuples.atRanks(sorted, math.max(1L, math.min(step, ElementCount.share(2 * epsilon, sorted.total))))
    }

  private def united(ends: Double, most: Long => Int): Tuples = {
    val scratch = Scratch.ofThread
    val whole = lists.drain(scratch.drained)
    val union = scratch.united
    union.insert(whole, Array.emptyLongArray, 0)
    val target = most(whole.count)
    if (union.length > target)
      new UniformThinning(
        union,
        ElementCount.share(ends, whole.count)
      ).dropTo(target, ElementCount.share(2 * epsilon, whole.count))
    val tuples = new Tuples
    tuples.count = whole.count
    tuples.reserve(union.length)
    tuples.assign(union)
    whole.trim()
    tuples
  }
}

/** Keeps the tuples of merged sketches until they are united with those of the sketch.
  *
  * Guarantee  [[drain]] returns the union of all lists, with every tuple of each
  * Cost       one copy of each added tuple, and log₂(lists) steps per tuple when all are united. Uniting each list at once would
  *            take a pass over all tuples of the sketch for each
  * Merge      [[addAll]]
  */
private[chronosketch] final class WaitingTuples extends TupleArrays {
  private var ends = new Array[Int](WaitingTuples.FewestLists)
  private var lists = 0
  private var elements = 0L
  private var anyThinned = false

  /** Whether a union of waiting lists was thinned while merging, that is, not as far as a finished one. */
  private[quantile] var wasThinned = false

  def isEmpty: Boolean = lists == 0

  /** The number of elements that the tuples represent. */
  def count: Long = elements

  /** The number of lists. */
  def size: Int = lists

  /** The number of tuples in all lists. */
  def tuples: Int = if (lists == 0) 0 else ends(lists - 1)

  def sizeBytes: Long = 3 * Meter.longs(keys.length) + Meter.ints(ends.length)

  /** Adds a list of tuples. */
  def add(that: Tuples): Unit = {
    reserve(that.size, 1)
    copyFrom(that, 0, tuples, that.size)
    val end = tuples + that.size
    ends(lists) = end
    lists += 1
    elements += that.count
    anyThinned |= that.isThinned
  }

  /** Adds all lists of another, which keeps them. */
  def addAll(that: WaitingTuples): Unit = {
    reserve(that.tuples, that.lists)
    val start = tuples
    copyFrom(that, 0, start, that.tuples)
    var i = 0
    while (i < that.lists) { ends(lists + i) = start + that.ends(i); i += 1 }
    lists += that.lists
    elements += that.elements
    anyThinned |= that.anyThinned
  }

  /** Makes room for more tuples in more lists. */
  private def reserve(more: Int, moreLists: Int): Unit = {
    val wanted = tuples.toLong + more
    TupleArrays.requireRoom(wanted)
    if (wanted > keys.length) {
      val room = math.min(TupleArrays.MostTuples.toLong, math.max(wanted, 2L * keys.length)).toInt
      keys = Arrays.copyOf(keys, room)
      gs = Arrays.copyOf(gs, room)
      deltas = Arrays.copyOf(deltas, room)
    }
    if (lists + moreLists > ends.length)
      ends = Arrays.copyOf(ends, math.max(lists + moreLists, 2 * ends.length))
  }

  /** Removes all lists and returns their union. It is in the arrays of `spare`, and valid until these are used again. */
  def drain(spare: Tuples): Tuples = {
    var isHere = true
    while (lists > 1) {
      if (isHere) spare.reserve(tuples)
      lists = if (isHere) spare.unitePairs(this, ends, lists) else unitePairs(spare, ends, lists)
      isHere = !isHere
    }
    if (isHere) spare.copyOf(this, tuples)
    spare.size = tuples
    spare.count = elements
    spare.isThinned = anyThinned
    lists = 0
    elements = 0L
    anyThinned = false
    spare
  }
}

private[quantile] object WaitingTuples {
  private val FewestLists = 8
}

/** Holds the union of two lists of tuples until tuples are dropped and a sketch takes the others. */
private[chronosketch] final class UnitedTuples extends TupleArrays {

  // the tuples are the elements from start until end. [[Thinning]] drops tuples in place, from the right, and moves the start
  private[quantile] var start = 0
  private[quantile] var end = 0

  def length: Int = end - start

  /** Unites tuples with sorted values. It is [[combine]] for tuples of one element, whose g + Δ − 1 is 0.
    *
    * Which side the next tuple comes from is hard to predict, so it is computed without a branch. Ties are branched on: they are rare
    * or come in runs.
    */
  def insert(a: Tuples, values: Array[Long], count: Int): Unit = {
    val an = a.size
    reserve(an.toLong + count)
    val ak = a.keys
    val ag = a.gs
    val ad = a.deltas
    val k = keys
    val g = gs
    val d = deltas
    var i = if (count == 0) an else TupleArrays.lowerBound(ak, 0, an, values(0))
    copyFrom(a, 0, 0, i)
    var j = 0
    var o = i
    // the tuples copied so far are below every value, so there are no new ties among them
    var last = if (i > 0) ak(i - 1) else 0L
    var equal = 0 // how many tuples before this one have its key
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
    // the remaining tuples are above every value, so there are no new ties among them
    System.arraycopy(ak, i, k, o, an - i)
    System.arraycopy(ag, i, g, o, an - i)
    System.arraycopy(ad, i, d, o, an - i)
    start = 0
    end = o + an - i
  }

  /** Unites two lists of tuples. */
  def combine(a: Tuples, b: Tuples): Unit = {
    reserve(a.size.toLong + b.size)
    start = 0
    end = unite(a, 0, a.size, b, 0, b.size, 0)
  }

  /** Unites two lists of tuples. No value of `b` is below `least` or above the maximum of `a`, nor below its minimum. */
  def combineWithin(a: Tuples, b: Tuples, least: Long): Unit = {
    combine(a, b)
    // the ranks of the minimum and of keys below `least` are as certain as before, even if the first tuple of `b` has g > 1
    val before = math.max(1, TupleArrays.lowerBound(a.keys, 0, a.size, least))
    System.arraycopy(a.deltas, 0, deltas, 0, before)
  }

  private def reserve(n: Long): Unit = if (n > keys.length) {
    TupleArrays.requireRoom(n)
    resize(math.min(TupleArrays.MostTuples.toLong, n + n / 4).toInt)
  }

  /** Moves the tuples into the given arrays. The union is empty afterwards. */
  def moveTo(k: Array[Long], g: Array[Long], d: Array[Long]): Unit = {
    System.arraycopy(keys, start, k, 0, length)
    System.arraycopy(gs, start, g, 0, length)
    System.arraycopy(deltas, start, d, 0, length)
    start = 0
    end = 0
    if (keys.length > TupleArrays.MostKept) resize(1024)
  }
}
