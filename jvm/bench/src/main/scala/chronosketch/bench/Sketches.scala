package chronosketch.bench

import org.apache.datasketches.kll.KllDoublesSketch

import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.quantile.GreenwaldKhanna

/** Fills our sketch and KLL row by row. Ours maps each double to its key, KLL takes the double. */
object Sketches {

  /** The k of KLL whose single-sided rank error is 0.1 %, for comparisons with ε = 1e-3. */
  val KllAtThousandth = 2862

  // the parameter of a benchmark is "gk 1e-3" for ours or "kll 2000"
  def isOurs(sketch: String): Boolean = sketch.startsWith("gk ")
  def epsilon(sketch: String): Double = sketch.stripPrefix("gk ").toDouble
  def k(sketch: String): Int = sketch.stripPrefix("kll ").toInt

  def ours(values: Array[Double], from: Int, until: Int, epsilon: Double): GreenwaldKhanna = {
    val sketch = new GreenwaldKhanna(Domain.Double, epsilon)
    var i = from
    while (i < until) { sketch.insert(DoubleKeys.key(values(i))); i += 1 }
    sketch
  }

  /** Inserts all values into one sketch, merges the buffered ones, and returns the count. */
  def inserted(values: Array[Double], sketch: String): Long =
    if (isOurs(sketch)) {
      val built = ours(values, 0, values.length, epsilon(sketch))
      built.tuples
      built.count
    } else kll(values, 0, values.length, k(sketch)).getN

  def kll(values: Array[Double], from: Int, until: Int, k: Int): KllDoublesSketch = {
    val sketch = KllDoublesSketch.newHeapInstance(k)
    var i = from
    while (i < until) { sketch.update(values(i)); i += 1 }
    sketch
  }
}
