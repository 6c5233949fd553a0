package chronosketch.bench.history

import chronosketch.domain.Domain
import chronosketch.history.{HistoryRecipe, HistorySketch}
import chronosketch.rank.{Phi, RankProfile}
import chronosketch.summary.Envelope

/** A history built by our algorithm or by the paper's simple alternative. */
trait Contestant {
  def name: String
  def bytes: Int

  /** The number of our trees and logs, or of the alternative's sets. */
  def parts: Int

  /** The quantile after change i. At least one value must be alive. */
  def quantile(i: Int, phi: Phi): Long

  /** Our profile after change i; None for the alternative, which certifies nothing. */
  def profile(i: Int): Option[RankProfile]
}

object Contestant {
  val Names: Seq[String] = Seq("ours", "simple")

  def of(name: String, data: Changes, epsilon: Double): Contestant =
    if (name == "ours") new Ours(history(data, epsilon), data) else new ThePapersSimple(data, epsilon)

  private def history(data: Changes, epsilon: Double): HistorySketch = {
    val builder = HistoryRecipe(Domain.BigInt, epsilon, Domain.BigInt).builder
    var i = 0
    while (i < data.changes.length) {
      builder.update(data.version(i), data.key(i), if (data.changes(i) < 0) -1L else 1L)
      i += 1
    }
    builder.result()
  }

  final class Ours(sketch: HistorySketch, data: Changes) extends Contestant {
    def name: String = "ours"
    def bytes: Int = Envelope.seal(sketch).length
    def parts: Int = sketch.trees
    def quantile(i: Int, phi: Phi): Long = sketch.at(data.version(i)).quantile(phi)
    def profile(i: Int): Option[RankProfile] = Some(sketch.at(data.version(i)).profile)
  }

  private final class ThePapersSimple(data: Changes, epsilon: Double) extends Contestant {
    private val simple = new Simple(data, epsilon)
    def name: String = "simple"
    def bytes: Int = simple.bytes
    def parts: Int = simple.size
    def quantile(i: Int, phi: Phi): Long = simple.quantile(i, phi.decimal.doubleValue)
    def profile(i: Int): Option[RankProfile] = None
  }
}
