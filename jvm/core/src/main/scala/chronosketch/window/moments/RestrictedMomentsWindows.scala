package chronosketch.window.moments

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.summary.{Family, Header, Parameter}

/** The family of [[RestrictedMoments]]. Rows are never inserted into these: they are taken from a sketch, and merged. */
object RestrictedMomentsWindows extends Family[RestrictedMoments] {
  val id = 15
  val name = "window of moments"
  def aggregate: Seq[String] = WindowMomentsSketches.aggregate

  val parameters: Seq[Parameter] = Seq(WindowMomentsSketches.Epsilon)

  override def takes(domain: Domain): Boolean = WindowMomentsSketches.takes(domain)

  def header(domain: Domain, numbers: Seq[Double]): Header[RestrictedMoments] =
    RestrictedMomentsHeader(domain, numbers.head)
}

/** The header of a stored window of moments. The payload contains the sums. */
final case class RestrictedMomentsHeader(domain: Domain, epsilon: Double) extends Header[RestrictedMoments] {
  def family: Family[RestrictedMoments] = RestrictedMomentsWindows
  def numbers: Seq[Double] = Seq(epsilon)

  /** A window without rows. */
  private[moments] def empty: RestrictedMoments =
    new RestrictedMoments(domain, epsilon, new Sums, new Sums, 0L, 0L)

  def read(reader: Wire.Reader): RestrictedMoments = {
    val inside = MomentsWire.read(reader)
    val doubtful = MomentsWire.read(reader)
    val least = reader.varint()
    val most = reader.varint()
    if (least < 0 || least > most || most > doubtful.count)
      throw reader.corrupt(s"from $least to $most of ${doubtful.count} elements are in its window")
    if (Long.MaxValue - inside.count < doubtful.count) throw reader.corrupt("its count has more than 63 bits")
    new RestrictedMoments(domain, epsilon, inside, doubtful, least, most)
  }
}
