package chronosketch.bench

import scala.collection.mutable.ArrayDeque

import com.datadoghq.sketch.ddsketch.{DDSketch, DDSketches}

import chronosketch.rank.Phi

/** DDSketch, as Datadog's library has it: a sketch a pane, merged where they are asked. */
final class DDSketchPolicy(alpha: Double, phis: Seq[Phi], panes: Int) extends Policy("DDSketch") {
  private val finished = new ArrayDeque[DDSketch]
  private var filling = DDSketches.unboundedDense(alpha)

  def insert(key: Long): Unit = filling.accept(key.toDouble)

  def endPane(): Unit = {
    finished.append(filling)
    if (finished.size > panes) finished.removeHead()
    filling = DDSketches.unboundedDense(alpha)
  }

  def answers(): Array[Double] = {
    val window = DDSketches.unboundedDense(alpha)
    finished.foreach(window.mergeWith(_))
    phis.map(phi => window.getValueAtQuantile(phi.decimal.doubleValue)).toArray
  }

  /** A count for each bin from the first to the last that has rows, where they begin, and how many are at 0. */
  def variables: Long = finished.map { sketch =>
    val store = sketch.getPositiveValueStore
    2L + (if (store.isEmpty) 0 else store.getMaxIndex - store.getMinIndex + 1)
  }.sum
}
