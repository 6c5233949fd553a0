package chronosketch.window

import chronosketch.bucketing.Contents
import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.quantile.{GreenwaldKhanna, QuantileRecipe}
import chronosketch.summary.{Family, Header, Parameter}

/** The family of [[RestrictedWindow]]. Rows are never inserted into these: they are taken from a sketch, and merged. */
object RestrictedWindows extends Family[RestrictedWindow] {
  val id = 3
  val name = "window"
  def aggregate: Seq[String] = WindowSketches.aggregate

  val parameters: Seq[Parameter] = Seq(WindowSketches.Epsilon)

  def header(domain: Domain, numbers: Seq[Double]): Header[RestrictedWindow] =
    RestrictedHeader(domain, numbers.head)
}

/** The header of a stored window. The payload contains its elements. */
final case class RestrictedHeader(domain: Domain, epsilon: Double) extends Header[RestrictedWindow] {
  def family: Family[RestrictedWindow] = RestrictedWindows
  def numbers: Seq[Double] = Seq(epsilon)

  /** A window without rows. */
  private[window] def empty: RestrictedWindow = {
    def nothing = new GreenwaldKhanna(domain, Contents.share(epsilon))
    new RestrictedWindow(epsilon, nothing, nothing, 0L, 0L)
  }

  def read(reader: Wire.Reader): RestrictedWindow = {
    val part = QuantileRecipe(domain, Contents.share(epsilon))
    val inside = part.read(reader)
    val doubtful = part.read(reader)
    val least = reader.varint()
    val most = reader.varint()
    if (least < 0 || least > most || most > doubtful.count)
      throw reader.corrupt(s"from $least to $most of ${doubtful.count} elements are in its window")
    if (Long.MaxValue - inside.count < doubtful.count) throw reader.corrupt("its count has more than 63 bits")
    new RestrictedWindow(epsilon, inside, doubtful, least, most)
  }
}
