package chronosketch.warehouse

import java.util.Arrays

import chronosketch.Refusal
import chronosketch.counted.ElementCount
import chronosketch.domain.Domain
import chronosketch.memory.Meter
import chronosketch.quantile.{GreenwaldKhanna, Tuples}

/** Samples the keys of a sorted run, with exact ranks, while the run is read.
  *
  * Guarantee  the ranks of a kept key's first and last copy are exact. Between neighbouring kept keys are at most max(1, ⌊εn⌋) ranks, so
  *            an answer is wrong by at most half of that. If the keys take at most 2/ε tuples, all are kept and answers are exact: a
  *            key that occurs once takes one tuple, a repeated key two
  * Cost       a comparison per row and a store per key; at most 16/ε keys are held while the run is read
  * Units      ranks start at 1
  * Merge      [[append]], of a run whose keys are not below those of this one
  * Source     Singh, Srivastava, Tirthapura, HistStream, VLDB 2016, §2.2 (summary of a partition); differs: the run's length need
  *            not be known, and a key is kept with all of its copies
  */
final class RunSamples(epsilon: Double) extends Serializable {
  private var keys, firsts, lasts = new Array[Long](4)
  private var size = 0
  private var n = 0L

  // the current key, and the rank of its first copy
  private var key, first = 0L

  // a key is kept if the rank of one of its copies is a multiple of this
  private var step = 1L
  private var maxKeys: Int = math.min(16 / epsilon, RunSamples.MaxKeys).toInt

  def count: Long = n

  /** The number of keys held. */
  def held: Int = size

  /** The memory of this object and its arrays. */
  def sizeBytes: Long = Meter.ObjectBytes + 3 * Meter.longs(keys.length)

  /** The least ε that [[sketch]] can guarantee. */
  def leastEpsilon: Double = if (step == 1) 0 else Math.nextUp(step.toDouble / n.toDouble)

  /** Adds the next key. Keys must not decrease. */
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
    if (size >= maxKeys) thinTo(2 * step)
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

  /** Limits the number of keys held from now on; to two at least. */
  def holdAtMost(keys: Int): Unit = {
    maxKeys = math.max(2, math.min(maxKeys, keys))
    if (size >= maxKeys) {
      thinTo(2 * step)
      // the whole arrays are serialized, so drop unused space
      trim()
    }
  }

  /** Doubles the step until at most half of `maxKeys` keys are kept. With the default `maxKeys` the step stays below εn/3. */
  private def thinTo(wider: Long): Unit = {
    step = wider
    var remaining = 1
    var i = 1
    while (i < size) {
      if (lasts(i) / step > (firsts(i) - 1) / step) { move(i, remaining); remaining += 1 }
      i += 1
    }
    size = remaining
    if (size > maxKeys / 2) thinTo(2 * step)
  }

  private def move(from: Int, to: Int): Unit = {
    keys(to) = keys(from)
    firsts(to) = firsts(from)
    lasts(to) = lasts(from)
  }

  /** Appends the samples of a run whose keys are not below the last key of this one. The other samples must not be used afterwards. */
  def append(that: RunSamples): Unit = if (that.n > 0) {
    that.store(that.key, that.first, that.n)
    if (n > 0) {
      if (that.keys(0) < key) throw RunSamples.outOfOrder
      // the last key is always kept, because its neighbours may be further away than the step
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

  /** The sketch of all keys added. Its tuples all have Δ = 0. */
  def sketch(domain: Domain): GreenwaldKhanna = sketch(domain, epsilon)

  /** The sketch with another ε, which must be at least [[leastEpsilon]]. */
  def sketch(domain: Domain, epsilon: Double): GreenwaldKhanna = {
    val sketch = new GreenwaldKhanna(domain, epsilon)
    if (n > 0) {
      store(key, first, n)
      sketch.restore(tuples(epsilon))
      size -= 1
    }
    sketch
  }

  /** Drops unused space. Call it when no more keys will be added. */
  def trim(): Unit = {
    keys = Arrays.copyOf(keys, size + 1)
    firsts = Arrays.copyOf(firsts, size + 1)
    lasts = Arrays.copyOf(lasts, size + 1)
  }

  private def tuples(epsilon: Double): Tuples = {
    val all = Array.range(0, size)
    val chosen = if (step == 1 && tuplesOf(all) <= 2 / epsilon) all else sparse(epsilon)
    val result = new Tuples
    result.reserve(tuplesOf(chosen))
    var o = 0
    var rank = 0L
    chosen.foreach { i =>
      result.keys(o) = keys(i)
      result.gs(o) = firsts(i) - rank
      o += 1
      if (lasts(i) > firsts(i)) {
        result.keys(o) = keys(i)
        result.gs(o) = lasts(i) - firsts(i)
        o += 1
      }
      rank = lasts(i)
    }
    result.size = o
    result.count = n
    result
  }

  private def tuplesOf(chosen: Array[Int]): Int = {
    var tuples = chosen.length
    chosen.foreach(i => if (lasts(i) > firsts(i)) tuples += 1)
    tuples
  }

  /** As few keys as possible with at most ⌊εn⌋ ranks between neighbours. */
  private def sparse(epsilon: Double): Array[Int] = {
    val widest = math.max(1L, ElementCount.share(epsilon, n))
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
    DamagedWarehouse("the rows of a run are not in order")

  private val MaxKeys: Double = (1 << 28).toDouble
}
