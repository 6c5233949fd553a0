package chronosketch.window

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.summary.{Family, Parameter, Summary}

/** The family of window sketches once it is known which times they have, how far back they reach, and by which filters: what
  * is stored says so for itself, what is built from rows is told.
  */
final case class WindowSketchesOf(timeDomain: Domain, retention: Long, filters: Vector[String])
    extends Family {
  def id: Int = WindowSketches.id
  def name: String = WindowSketches.name
  def parameters: Seq[Parameter] = WindowSketches.parameters

  def empty(domain: Domain, parameters: Array[Double]): WindowSketch =
    new WindowSketch(domain, timeDomain, parameters(0), retention, filters)

  def read(reader: Wire.Reader, domain: Domain, parameters: Array[Double]): Summary =
    WindowSketches.read(reader, domain, parameters)

  override def mostInBag(parameters: Array[Double]): Int = WindowSketches.mostInBag(parameters)

  override def toString: String = {
    val kept = if (retention == WindowSketch.KeepAll) "" else s" of the last $retention"
    val by = if (filters.isEmpty) "" else s" by ${Filters.text(filters)}"
    s"$name$kept$by"
  }
}
