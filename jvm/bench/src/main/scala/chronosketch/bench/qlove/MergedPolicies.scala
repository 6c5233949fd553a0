package chronosketch.bench.qlove

import scala.collection.mutable.ArrayDeque

import com.datadoghq.sketch.ddsketch.{DDSketch, DDSketches}
import org.apache.datasketches.kll.KllDoublesSketch

import chronosketch.rank.Phi

/** A policy that keeps a library's sketch of each pane, and merges them to the window's sketch by two stacks, so that a slide takes few
  * merges for any number of panes.
  */
abstract class MergedPolicy[S](label: String, phis: Seq[Phi], panes: Int) extends Policy(label) {
  protected def empty(): S
  protected def add(sketch: S, value: Double): Unit
  protected def copyOf(sketch: S): S
  protected def mergeInto(into: S, other: S): Unit
  protected def quantile(sketch: S, phi: Phi): Double
  protected def size(sketch: S): Long

  private val younger = new ArrayDeque[S] // panes added since the stacks were flipped, and their union
  private var youngerMerged = empty()
  private val older =
    new ArrayDeque[S] // for each older pane the union of it and those after it, the oldest last
  private var panesKept = 0L // numbers in the panes of `younger`
  private var filling = empty()

  def insert(key: Long): Unit = add(filling, key.toDouble)

  def endPane(): Unit = {
    if (younger.size + older.size == panes) expire()
    younger.append(filling)
    panesKept += size(filling)
    mergeInto(youngerMerged, filling)
    filling = empty()
  }

  private def expire(): Unit = {
    if (older.isEmpty) {
      var merged = empty()
      while (younger.nonEmpty) {
        merged = copyOf(merged)
        mergeInto(merged, younger.removeLast())
        older.append(merged)
      }
      youngerMerged = empty()
      panesKept = 0L
    }
    older.removeLast()
  }

  def answers(): Array[Double] = {
    val window =
      if (older.isEmpty) youngerMerged
      else {
        val both = copyOf(older.last)
        mergeInto(both, youngerMerged)
        both
      }
    phis.map(quantile(window, _)).toArray
  }

  def variables: Long = panesKept + older.map(size).sum + size(youngerMerged)
}

/** DDSketch with relative error α: Masson, Rim and Lee, VLDB 2019, by the authors' library. */
final class DDSketchPolicy(alpha: Double, phis: Seq[Phi], panes: Int)
    extends MergedPolicy[DDSketch](s"DDSketch, α = $alpha", phis, panes) {
  protected def empty(): DDSketch = DDSketches.unboundedDense(alpha)
  protected def add(sketch: DDSketch, value: Double): Unit = sketch.accept(value)
  protected def copyOf(sketch: DDSketch): DDSketch = sketch.copy()
  protected def mergeInto(into: DDSketch, other: DDSketch): Unit = into.mergeWith(other)
  protected def quantile(sketch: DDSketch, phi: Phi): Double =
    if (sketch.isEmpty) Double.NaN else sketch.getValueAtQuantile(phi.decimal.doubleValue)

  /** The index and the count of each non-empty bin. */
  protected def size(sketch: DDSketch): Long = {
    val bins = sketch.getPositiveValueStore.getAscendingIterator
    var n = 0L
    while (bins.hasNext) { bins.next(); n += 2 }
    n
  }
}

/** KLL with rank error ε at 99 % confidence: Karnin, Lang and Liberty, FOCS 2016. */
final class KllPolicy(k: Int, phis: Seq[Phi], panes: Int)
    extends MergedPolicy[KllDoublesSketch](s"KLL, k = $k", phis, panes) {
  protected def empty(): KllDoublesSketch = KllDoublesSketch.newHeapInstance(k)
  protected def add(sketch: KllDoublesSketch, value: Double): Unit = sketch.update(value)
  protected def copyOf(sketch: KllDoublesSketch): KllDoublesSketch = {
    val copy = empty()
    copy.merge(sketch)
    copy
  }
  protected def mergeInto(into: KllDoublesSketch, other: KllDoublesSketch): Unit = into.merge(other)
  protected def quantile(sketch: KllDoublesSketch, phi: Phi): Double =
    if (sketch.isEmpty) Double.NaN else sketch.getQuantile(phi.decimal.doubleValue)
  protected def size(sketch: KllDoublesSketch): Long = sketch.getNumRetained.toLong
}
