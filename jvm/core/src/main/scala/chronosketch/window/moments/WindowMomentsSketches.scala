package chronosketch.window.moments

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.summary.{Family, Header, Parameter, Recipe}
import chronosketch.window.{WindowWire, WindowedFamily}

/** The family of [[WindowMoments]]. */
object WindowMomentsSketches extends Family[WindowMoments] with WindowedFamily[WindowMoments] {
  val id = 14
  val name = "window moments sketch"
  def aggregate: Seq[String] = Seq("window_moments_agg", "value", "event_time")

  val Epsilon: Parameter = Parameter("epsilon", default = 0.01, least = 0.0, greatest = 0.5)

  val parameters: Seq[Parameter] = Seq(Epsilon)

  /** Numeric types only: the square of a date, for example, has no meaning. */
  override def takes(domain: Domain): Boolean = domain.isNumeric

  def header(domain: Domain, numbers: Seq[Double]): Header[WindowMoments] =
    WindowMomentsHeader(domain, numbers.head)

  def recipe(
      domain: Domain,
      timeDomain: Domain,
      numbers: Seq[Double],
      retention: Long,
      filters: Vector[String]
  ): Recipe[WindowMoments] = WindowMomentsRecipe(domain, timeDomain, numbers.head, retention, filters)
}

/** The parameters of a [[WindowMoments]]: the types of values and times, the error, the retention and the filters. */
final case class WindowMomentsRecipe(
    domain: Domain,
    timeDomain: Domain,
    epsilon: Double,
    retention: Long,
    filters: Vector[String]
) extends Recipe[WindowMoments] {
  def family: Family[WindowMoments] = WindowMomentsSketches
  def numbers: Seq[Double] = Seq(epsilon)
  def empty: WindowMoments = new WindowMoments(domain, timeDomain, epsilon, retention, filters)

  override protected def text: String = WindowedFamily.text(WindowMomentsSketches, retention, filters)
}

/** The header of a stored window moments sketch. The payload contains the rest. */
final case class WindowMomentsHeader(domain: Domain, epsilon: Double) extends Header[WindowMoments] {
  def family: Family[WindowMoments] = WindowMomentsSketches
  def numbers: Seq[Double] = Seq(epsilon)
  def read(reader: Wire.Reader): WindowMoments =
    WindowWire.read(reader, new WindowMoments(domain, _, epsilon, _, _), MomentsWire)
}
