package chronosketch.window

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.summary.{Family, Header, Parameter, Recipe}

/** The family of [[WindowSketch]]. */
object WindowSketches extends Family[WindowSketch] with WindowedFamily[WindowSketch] {
  val id = 2
  val name = "window sketch"
  def aggregate: Seq[String] = Seq("window_sketch_agg", "value", "event_time")

  val Epsilon: Parameter = Parameter("epsilon", default = 0.01, least = 0.0, greatest = 0.5)

  val parameters: Seq[Parameter] = Seq(Epsilon)

  def header(domain: Domain, numbers: Seq[Double]): Header[WindowSketch] =
    WindowHeader(domain, numbers.head)

  def recipe(
      domain: Domain,
      timeDomain: Domain,
      numbers: Seq[Double],
      retention: Long,
      filters: Vector[String]
  ): Recipe[WindowSketch] = WindowRecipe(domain, timeDomain, numbers.head, retention, filters)
}

/** The parameters of a [[WindowSketch]]: the types of values and times, the error, the retention and the filters. */
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

  override protected def text: String = WindowedFamily.text(WindowSketches, retention, filters)
}

/** The header of a stored window sketch. The payload contains the rest. */
final case class WindowHeader(domain: Domain, epsilon: Double) extends Header[WindowSketch] {
  def family: Family[WindowSketch] = WindowSketches
  def numbers: Seq[Double] = Seq(epsilon)
  def read(reader: Wire.Reader): WindowSketch = WindowWire.read(
    reader,
    new WindowSketch(domain, _, epsilon, _, _),
    new KeysWire(domain, epsilon)
  )
}
