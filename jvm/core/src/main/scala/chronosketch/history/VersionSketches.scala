package chronosketch.history

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.rank.ProfileWire
import chronosketch.summary.{Family, Header, Parameter}

/** The family of versions taken from a history. They can be merged, but nothing can be inserted. */
object VersionSketches extends Family[VersionSketch] {
  val id = 8
  val name = "version"
  def aggregate: Seq[String] = HistorySketches.aggregate

  val parameters: Seq[Parameter] = Seq(HistorySketches.Epsilon)

  def header(domain: Domain, numbers: Seq[Double]): Header[VersionSketch] =
    VersionHeader(domain, numbers.head)
}

/** The header of a stored version. The elements are in the payload. */
final case class VersionHeader(domain: Domain, epsilon: Double) extends Header[VersionSketch] {
  def family: Family[VersionSketch] = VersionSketches
  def numbers: Seq[Double] = Seq(epsilon)
  def read(reader: Wire.Reader): VersionSketch =
    VersionSketch(domain, epsilon, ProfileWire.read(reader, domain))
}
