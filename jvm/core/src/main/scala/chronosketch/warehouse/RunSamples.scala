package chronosketch.warehouse

import java.util.Arrays

import chronosketch.Refusal
import chronosketch.counted.Share
import chronosketch.domain.Domain
import chronosketch.quantile.{GreenwaldKhanna, Tuples}

/** Which keys of a sorted run, that come one after another, tell the ranks of all?
  *
  * Guarantee  the ranks of a kept key's first and last copy are exact; from a kept key to the next are at most max(1, ⌊εn⌋) ranks,
  *            so that an answer from them is wrong by half of that; all keys are kept, and answers exact, where they are few:
  *            one tuple a key that comes once, two a key that comes more often, 2/ε in all
  * Cost       a comparison a copy, a store a key; at most 16/ε keys held while a run comes
  * Units      ranks start at 1
  * Merge      [[append]], of a run whose keys all come later
  * Source     Singh, Srivastava, Tirthapura, HistStream, VLDB 2016, §2.2 (summary of a partition); departs: the run's length need
  *            not be known, and a key is kept with all of its copies
  */
final class RunSamples(epsilon: Double) extends Serializable {
  private var keys, firsts, lasts = new Array[Long](4)
  private var size = 0
  private var n = 0L

  // the key that comes at present, and the rank of its first copy
  private var key, first = 0L

  // a key is kept where one of its copies has a rank that this divides
  private var step = 1L
  private var most: Int = math.min(16 / epsilon, RunSamples.MostKept).toInt

  def count: Long = n

  /** How many keys are held. */
  def held: Int = size

  /** The least epsilon that [[sketch]] can keep to. */
  def finest: Double = if (step == 1) 0 else Math.nextUp(step.toDouble / n.toDouble)

  /** The next key; none is below the one before. */
  def add(next: Long): Unit = {
    if (n == 0 || next != key) {
      if (n > 0) {
        if (next < key) throw RunSamples.outOfOrder
        keep()
      }
      key = next
      first = n + 1
    }
    n += 1
  }

  private def keep(): Unit = if (first == 1 || n / step > (first - 1) / step) {
    store(key, first, n)
    if (size >= most) thinTo(2 * step)
  }

  private def store(key: Long, first: Long, last: Long): Unit = {
    if (size == keys.length) {
      val room = 2 * size + 2
      keys = Arrays.copyOf(keys, room)
      firsts = Arrays.copyOf(firsts, room)
      lasts = Arrays.copyOf(lasts, room)
    }
    keys(size) = key
    firsts(size) = first
    lasts(size) = last
    size += 1
  }

  /** Holds no more than so many keys from now on, two at least. */
  def holdAtMost(keys: Int): Unit = {
    most = math.max(2, math.min(most, keys))
    if (size >= most) {
      thinTo(2 * step)
      // they travel as the arrays are
      trim()
    }
  }

  /** Leaves less than half of them: until then the step grows. With so many kept it stays below εn/3. */
  private def thinTo(wider: Long): Unit = {
    step = wider
    var kept = 1
    var i = 1
    while (i < size) {
      if (lasts(i) / step > (firsts(i) - 1) / step) { move(i, kept); kept += 1 }
      i += 1
    }
    size = kept
    if (size > most / 2) thinTo(2 * step)
  }

  private def move(from: Int, to: Int): Unit = {
    keys(to) = keys(from)
    firsts(to) = firsts(from)
    lasts(to) = lasts(from)
  }

  /** Adds the samples of a run whose keys all come later, or are equal to the last one. It is not used again. */
  def append(that: RunSamples): Unit = if (that.n > 0) {
    that.store(that.key, that.first, that.n)
    if (n > 0) {
      if (that.keys(0) < key) throw RunSamples.outOfOrder
      // the last key is always kept: its neighbours may be further off than the step
      store(key, first, n)
    }
    var i = 0
    while (i < that.size) {
      if (i == 0 && size > 0 && keys(size - 1) == that.keys(0)) lasts(size - 1) = n + that.lasts(0)
      else store(that.keys(i), n + that.firsts(i), n + that.lasts(i))
      i += 1
    }
    size -= 1
    key = keys(size)
    first = firsts(size)
    n += that.n
    step = math.max(step, that.step)
  }

  /** The sketch of all that came, whose tuples all have Δ = 0. */
  def sketch(domain: Domain): GreenwaldKhanna = sketch(domain, epsilon)

  /** With another error, no less than [[finest]]. */
  def sketch(domain: Domain, epsilon: Double): GreenwaldKhanna = {
    val sketch = new GreenwaldKhanna(domain, epsilon)
    if (n > 0) {
      store(key, first, n)
      sketch.restore(tuples(epsilon))
      size -= 1
    }
    sketch
  }

  /** Gives back what room is not needed, where nothing more will be added. */
  def trim(): Unit = {
    keys = Arrays.copyOf(keys, size + 1)
    firsts = Arrays.copyOf(firsts, size + 1)
    lasts = Arrays.copyOf(lasts, size + 1)
  }

  private def tuples(epsilon: Double): Tuples = {
    val all = Array.range(0, size)
    val chosen = if (step == 1 && tuplesOf(all) <= 2 / epsilon) all else spread(epsilon)
    val made = new Tuples
    made.reserve(tuplesOf(chosen))
    var o = 0
    var rank = 0L
    chosen.foreach { i =>
      made.keys(o) = keys(i)
      made.gs(o) = firsts(i) - rank
      o += 1
      if (lasts(i) > firsts(i)) {
        made.keys(o) = keys(i)
        made.gs(o) = lasts(i) - firsts(i)
        o += 1
      }
      rank = lasts(i)
    }
    made.size = o
    made.count = n
    made
  }

  private def tuplesOf(chosen: Array[Int]): Int = {
    var tuples = chosen.length
    chosen.foreach(i => if (lasts(i) > firsts(i)) tuples += 1)
    tuples
  }

  /** The fewest that leave no more than ⌊εn⌋ ranks from one to the next. */
  private def spread(epsilon: Double): Array[Int] = {
    val widest = math.max(1L, Share.of(epsilon, n))
    val chosen = Array.newBuilder[Int]
    var at = 0
    chosen += 0
    while (at < size - 1) {
      var next = at + 1
      while (next < size - 1 && firsts(next + 1) - lasts(at) <= widest) next += 1
      chosen += next
      at = next
    }
    chosen.result()
  }
}

object RunSamples {
  private[warehouse] def outOfOrder: Refusal =
    Refusal("CHRONOSKETCH_WAREHOUSE_DAMAGED", "reason" -> "the rows of a run are not in order")

  private val MostKept: Double = (1 << 28).toDouble
}
