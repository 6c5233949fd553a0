package chronosketch.summary

import chronosketch.codec.Wire
import chronosketch.domain.Domain

/** The family of rank-certified quantile sketches: [[GreenwaldKhanna]] summaries, exact bags where epsilon is 0. */
object QuantileSketch extends Family {
  val id = 1
  val name = "quantile sketch"

  val Epsilon: Parameter = Parameter("epsilon", default = 1e-3, least = 0.0, greatest = 0.5)

  val parameters: Seq[Parameter] = Seq(Epsilon)

  def empty(domain: Domain, parameters: Array[Double]): GreenwaldKhanna =
    new GreenwaldKhanna(domain, parameters(0))

  def read(reader: Wire.Reader, domain: Domain, parameters: Array[Double]): GreenwaldKhanna =
    GreenwaldKhannaWire.read(reader, empty(domain, parameters))
}
