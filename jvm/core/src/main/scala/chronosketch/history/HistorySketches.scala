package chronosketch.history

import chronosketch.codec.Wire
import chronosketch.domain.{Domain, TimeDomain}
import chronosketch.summary.{Family, Header, Parameter, Recipe}

/** The family of sketches of all versions of a changing bag. A [[HistoryBuilder]] builds them from changes. */
object HistorySketches extends Family[HistorySketch] {
  val id = 7
  val name = "history"
  def aggregate: Seq[String] = Seq("history_sketch_agg", "value", "version")

  val Epsilon: Parameter = Parameter("epsilon", default = 0.01, least = 0.0, greatest = 0.5)

  val parameters: Seq[Parameter] = Seq(Epsilon)

  def header(domain: Domain, numbers: Seq[Double]): Header[HistorySketch] =
    HistoryHeader(domain, numbers.head)
}

/** The parameters of a history: the type of its values, its ε, and the type of its versions. */
final case class HistoryRecipe(domain: Domain, epsilon: Double, versions: Domain)
    extends Recipe[HistorySketch] {
  require(TimeDomain.is(versions), s"versions of type ${versions.sql}")

  def family: Family[HistorySketch] = HistorySketches
  def numbers: Seq[Double] = Seq(epsilon)
  def empty: HistorySketch = new HistorySketch(domain, versions, epsilon, Vector.empty)

  /** An empty builder. */
  def builder: HistoryBuilder = new HistoryBuilder(this)

  override protected def text: String = s"${HistorySketches.name} by ${versions.sql}"
}

/** The header of a stored history. The type of the versions is in the payload. */
final case class HistoryHeader(domain: Domain, epsilon: Double) extends Header[HistorySketch] {
  def family: Family[HistorySketch] = HistorySketches
  def numbers: Seq[Double] = Seq(epsilon)
  def read(reader: Wire.Reader): HistorySketch = HistoryWire.read(reader, domain, epsilon)
}
