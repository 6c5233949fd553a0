package chronosketch.summary

import chronosketch.Refusal
import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.rank.RankProfile

/** A kind of summary, as the rest of the library sees it: the generic aggregate, `sketch_merge`, the laws and the golden
  * tests run over [[Family.all]].
  */
abstract class Family extends Serializable {

  /** Stands in stored bytes and never changes. */
  def id: Int

  /** What SQL and messages call it. */
  def name: String

  def parameters: Seq[Parameter]

  /** A summary of nothing. `parameters` in the order of [[parameters]], each allowed by it. */
  def empty(domain: Domain, parameters: Array[Double]): Summary

  /** What [[Summary.write]] wrote; a refusal where the bytes can't be that. */
  def read(reader: Wire.Reader, domain: Domain, parameters: Array[Double]): Summary

  override def toString: String = name
}

object Family {
  val all: Seq[Family] = Seq(QuantileSketch)

  def byId(id: Int): Option[Family] = all.find(_.id == id)
}

/** A tuning parameter: its name in SQL, its default and the closed range it can have. */
final case class Parameter(name: String, default: Double, least: Double, greatest: Double) {
  def allows(value: Double): Boolean = value >= least && value <= greatest
  def range: String = s"[${Parameter.text(least)}, ${Parameter.text(greatest)}]"
}

object Parameter {
  def text(value: Double): String = new java.math.BigDecimal(value.toString).stripTrailingZeros.toPlainString
}

/** The state that summarises one bag of keys. Not thread-safe. */
trait Summary {
  def family: Family
  def domain: Domain

  /** As the family lists them; after a merge, what still holds. */
  def parameters: Array[Double]

  /** Elements seen, exactly. */
  def count: Long

  def insert(key: Long): Unit

  /** `copies` ≥ 0 elements of one key. */
  def insert(key: Long, copies: Long): Unit

  /** The union with another of the same family, into this one; `that` still summarises what it did. Value types must
    * widen, and this one's becomes the wider.
    */
  def merge(that: Summary): Unit

  def write(writer: Wire.Writer): Unit

  /** For the messages of questions and merges. */
  final protected def requireSameFamily(that: Summary): Unit =
    if (that.family ne family) {
      throw Refusal("CHRONOSKETCH_FAMILIES_DIFFER", "left" -> family.name, "right" -> that.family.name)
    }
}

/** A summary that is certain about ranks. */
trait Ranked { self: Summary =>
  def profile: RankProfile
}
