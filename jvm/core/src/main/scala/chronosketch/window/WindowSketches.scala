package chronosketch.window

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.summary.{Family, Header, Parameter, Recipe}

/** The family of sketches that any window back from the newest row can be taken from. */
object WindowSketches extends Family[WindowSketch] {
  val id = 2
  val name = "window sketch"

  val Epsilon: Parameter = Parameter("epsilon", default = 0.01, least = 0.0, greatest = 0.5)

  val parameters: Seq[Parameter] = Seq(Epsilon)

  def header(domain: Domain, numbers: Seq[Double]): Header[WindowSketch] =
    WindowHeader(domain, numbers.head)
}

/** What a window sketch is made of: the types of its values and of its times, its error, how far back windows reach, and by which
  * filters.
  */
final case class WindowRecipe(
    domain: Domain,
    timeDomain: Domain,
    epsilon: Double,
    retention: Long,
    filters: Vector[String]
) extends Recipe[WindowSketch] {
  def family: Family[WindowSketch] = WindowSketches
  def numbers: Seq[Double] = Seq(epsilon)
  def empty: WindowSketch = new WindowSketch(domain, timeDomain, epsilon, retention, filters)

  override protected def text: String = {
    val kept = if (retention == Windowed.KeepAll) "" else s" of the last $retention"
    val by = if (filters.isEmpty) "" else s" by ${Filters.text(filters)}"
    s"${WindowSketches.name}$kept$by"
  }
}

/** What stands before a stored window sketch; its payload has the rest. */
final case class WindowHeader(domain: Domain, epsilon: Double) extends Header[WindowSketch] {
  def family: Family[WindowSketch] = WindowSketches
  def numbers: Seq[Double] = Seq(epsilon)
  def read(reader: Wire.Reader): WindowSketch = WindowWire.read(
    reader,
    new WindowSketch(domain, _, epsilon, _, _),
    new KeysWire(domain, epsilon)
  )
}
