package chronosketch.sliding.sampled

import chronosketch.memory.Meter
import chronosketch.rank.Phi
import chronosketch.sample.SampleSize
import chronosketch.sliding.{RetainedElements, WorkArrays}
import chronosketch.sort.KeySort

/** A random sample of a frame's elements, from which ranks in the frame are estimated. A sample guarantees nothing for certain,
  * so it is not a [[chronosketch.sliding.certified.FrameSummary]].
  *
  * Guarantee  the same seed and the same calls give the same answers
  */
trait FrameSample extends RetainedElements {

  /** Adds the next element. */
  def append(key: Long): Unit

  /** Number of elements in the sample. */
  def size: Int

  /** The φ-quantile of the sample. The sample must not be empty. */
  def quantile(phi: Phi): Long
}

/** A sample in which all sets of elements of the same size are equally likely. */
trait UniformSample extends FrameSample {

  /** Bound on the rank errors of all quantiles, as a share of the frame's elements, with probability ≥ 1 − δ. See
    * [[FrameSampleSize]].
    */
  def band(delta: Double): Double = FrameSampleSize.band(size.toLong, count, delta)
}

/** A factory for one kind of sample. */
abstract class SampleStructure[+S <: FrameSample](val name: String, val text: String) extends Serializable {

  /** An empty sample for frames of at most `capacity` elements, with the size that [[FrameSampleSize]] gives for ε and δ. The
    * seed must be independent of the elements: if the same generator produced the elements, sampling would depend on their
    * values.
    */
  def of(capacity: Long, epsilon: Double, delta: Double, seed: Long): S

  override def toString: String = name
}

/** Computes how many elements a sample of a frame needs, and how precise its ranks are.
  *
  * Guarantee  for k of n elements, drawn uniformly without replacement, with probability ≥ 1 − δ: the ranks of all quantiles of
  *            the sample, for all φ at once, are wrong by at most ⌈[[band]]·n⌉ among the n
  * Units      shares of the elements
  * Source     Dvoretzky, Kiefer and Wolfowitz 1956 with Massart's constant 1990; Hoeffding, Probability inequalities for sums of
  *            bounded random variables, 1963, §6 (docs/algorithms.md, Sampled frames); the size: Meijer 2011, §4.5
  */
object FrameSampleSize {

  /** The size from the literature: ⌈ε⁻²·ln(1/(εδ))⌉. */
  def of(epsilon: Double, delta: Double): Long =
    math.ceil(SampleSize.rows(epsilon, delta)).toLong

  /** √(ln(8/δ)/(2k)), at most 1; 0 if the sample contains all elements. */
  def band(size: Long, elements: Long, delta: Double): Double =
    if (size == elements) 0.0
    else if (size == 0) 1.0
    else math.min(1.0, SampleSize.width(size, delta))

  /** The size from the literature, at least 1, at most `capacity`, and small enough for an array. */
  private[sampled] def within(capacity: Long, epsilon: Double, delta: Double): Int =
    math.max(1L, math.min(math.min(capacity, of(epsilon, delta)), 1L << 28)).toInt
}

/** A sample that is sorted by key when it is queried after a change. */
private[sampled] abstract class SortedSample extends FrameSample {
  private var sorted = Array.emptyLongArray
  private var sortedSize = 0
  private var isStale = false

  /** Upper bound for the current size of the sample. */
  protected def maxSize: Int

  /** Writes the keys of the sample in any order, and returns their number. */
  protected def gather(keys: Array[Long]): Int

  final protected def markStale(): Unit = isStale = true

  private def sortIfStale(): Unit = if (isStale) {
    sorted = WorkArrays.atLeast(sorted, maxSize)
    sortedSize = gather(sorted)
    KeySort.ofThread.sort(sorted, sortedSize)
    isStale = false
  }

  final def size: Int = { sortIfStale(); sortedSize }

  final def quantile(phi: Phi): Long = {
    sortIfStale()
    at(phi.rank(sortedSize.toLong).toInt - 1)
  }

  /** The i-th smallest key of the sample, counted from 0. */
  private[sampled] final def at(i: Int): Long = {
    sortIfStale()
    sorted(i)
  }

  final protected def sortedBytes: Long = Meter.ObjectBytes + Meter.longs(sorted.length)
}
