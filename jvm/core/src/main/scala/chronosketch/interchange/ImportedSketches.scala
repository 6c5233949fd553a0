package chronosketch.interchange

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.rank.ProfileWire
import chronosketch.summary.{Family, Header, Parameter}

/** The family of sketches made from other libraries' summaries. They can be merged, but nothing can be inserted. */
object ImportedSketches extends Family[ImportedSketch] {
  val id = 18
  val name = "imported sketch"
  def aggregate: Seq[String] = Nil

  val Delta: Parameter = Parameter("delta", default = 0.0, least = 0.0, greatest = 1.0)

  val parameters: Seq[Parameter] = Seq(Delta)

  def header(domain: Domain, numbers: Seq[Double]): Header[ImportedSketch] =
    ImportedHeader(domain, numbers.head)
}

/** The header of a stored imported sketch. The rank bounds are in the payload. */
final case class ImportedHeader(domain: Domain, delta: Double) extends Header[ImportedSketch] {
  def family: Family[ImportedSketch] = ImportedSketches
  def numbers: Seq[Double] = Seq(delta)
  def read(reader: Wire.Reader): ImportedSketch =
    ImportedSketch(domain, delta, ProfileWire.read(reader, domain))
}
