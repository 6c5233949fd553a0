package chronosketch.history

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.rank.ProfileWire
import chronosketch.summary.{Family, Header, Parameter}

/** The family of versions that were taken from a history. Nothing is inserted into them: they are taken, and united. */
object VersionSketches extends Family[VersionSketch] {
  val id = 8
  val name = "version"
  def aggregate: Seq[String] = HistorySketches.aggregate

  val parameters: Seq[Parameter] = Seq(HistorySketches.Epsilon)

  def header(domain: Domain, numbers: Seq[Double]): Header[VersionSketch] =
    VersionHeader(domain, numbers.head)
}

/** What stands before a stored version; its payload has its elements. */
final case class VersionHeader(domain: Domain, epsilon: Double) extends Header[VersionSketch] {
  def family: Family[VersionSketch] = VersionSketches
  def numbers: Seq[Double] = Seq(epsilon)
  def read(reader: Wire.Reader): VersionSketch =
    VersionSketch(domain, epsilon, ProfileWire.read(reader, domain))
}
