package chronosketch.bench.tails

import org.apache.datasketches.kll.KllFloatsSketch
import org.apache.datasketches.req.ReqSketch

import chronosketch.ddsketch.{DDSketch, DDSketchRecipe}
import chronosketch.domain.{Domain, DoubleKeys}
import chronosketch.quantile.{GreenwaldKhanna, HighTailSketch, QuantileRecipe}
import chronosketch.rank.Phi
import chronosketch.summary.{Envelope, Inserts}

/** A sketch of floats that is compared with others. */
private[tails] trait Contestant {
  def insert(values: Array[Float]): Unit
  def quantile(phi: Double): Double

  /** The bytes of the stored sketch. Values that are still buffered are summarised first. */
  def bytes: Int

  /** The certified rank error of a quantile as a share of its tail; NaN if nothing is certified. */
  def certified(phi: Double): Double = Double.NaN
}

private[tails] object Contestant {

  /** The names of those that are compared. The parameters of the last two give them as many bytes as the first. */
  val Names: Seq[String] = Seq("tail 0.01", "uniform 1e-3", "ddsketch 0.01", "req", "kll")

  def isOfSameBytes(name: String): Boolean = name == "req" || name == "kll"

  /** Makes an empty sketch. `k` is the parameter of REQ or KLL. */
  def of(name: String, k: Int): Contestant = name match {
    case "tail 0.01" => new Quantiles(QuantileRecipe(Domain.Float, 0.01, HighTailSketch).empty)
    case "uniform 1e-3" => new Quantiles(QuantileRecipe(Domain.Float, 1e-3).empty)
    case "ddsketch 0.01" => new Bins(DDSketchRecipe(Domain.Float, 0.01).empty)
    case "req" => new Req(k)
    case "kll" => new Kll(k)
  }

  /** The nearest parameter that a sketch may have. */
  def allowed(name: String, k: Double): Int =
    if (name == "req") math.max(4, math.min(1024, 2 * math.round(k / 2).toInt))
    else math.max(8, math.min(65535, math.round(k).toInt))
}

/** Maps floats to keys in blocks, as SQL does, and inserts these. */
private abstract class OfKeys(sketch: Inserts) extends Contestant {
  private val keys = new Array[Long](4096)

  final def insert(values: Array[Float]): Unit = {
    var from = 0
    while (from < values.length) {
      val n = math.min(keys.length, values.length - from)
      var i = 0
      while (i < n) { keys(i) = DoubleKeys.key(values(from + i).toDouble); i += 1 }
      sketch.insertAll(keys, 0, n)
      from += n
    }
  }

  final def bytes: Int = Envelope.seal(sketch).length
}

private final class Quantiles(sketch: GreenwaldKhanna) extends OfKeys(sketch) {
  def quantile(phi: Double): Double = DoubleKeys.value(sketch.quantile(Phi(phi)))

  override def certified(phi: Double): Double = {
    val profile = sketch.profile
    val error = profile.errorOf(Phi(phi), profile.quantileIndex(Phi(phi)))
    error.toDouble / (sketch.count - Phi(phi).rank(sketch.count) + 1)
  }
}

private final class Bins(sketch: DDSketch) extends OfKeys(sketch) {
  def quantile(phi: Double): Double = sketch.quantile(Phi(phi)).value
}

private final class Req(k: Int) extends Contestant {
  private val sketch = ReqSketch.builder().setK(k).setHighRankAccuracy(true).build()

  def insert(values: Array[Float]): Unit = {
    var i = 0
    while (i < values.length) { sketch.update(values(i)); i += 1 }
  }

  def quantile(phi: Double): Double = sketch.getQuantile(phi).toDouble
  def bytes: Int = sketch.toByteArray.length
}

private final class Kll(k: Int) extends Contestant {
  private val sketch = KllFloatsSketch.newHeapInstance(k)

  def insert(values: Array[Float]): Unit = {
    var i = 0
    while (i < values.length) { sketch.update(values(i)); i += 1 }
  }

  def quantile(phi: Double): Double = sketch.getQuantile(phi).toDouble
  def bytes: Int = sketch.toByteArray.length
}
