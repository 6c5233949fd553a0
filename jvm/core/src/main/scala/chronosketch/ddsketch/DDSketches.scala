package chronosketch.ddsketch

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.summary.{Family, InsertingFamily, InsertingRecipe, Parameter, Summary}

/** The family of sketches with a bounded relative error. */
object DDSketches extends InsertingFamily[DDSketch] {
  val id = 6
  val name = "ddsketch"
  def aggregate: Seq[String] = Seq("ddsketch_agg", "value")

  val Alpha: Parameter = Parameter("alpha", default = 0.01, least = 1e-4, greatest = 0.5)

  val parameters: Seq[Parameter] = Seq(Alpha)

  /** Only numeric types: a relative error of a date or a time has no meaning. */
  override def takes(domain: Domain): Boolean = domain.isNumeric

  def recipe(domain: Domain, numbers: Seq[Double]): DDSketchRecipe = DDSketchRecipe(domain, numbers.head)
}

/** The parameters of a DDSketch, which are also the header of a stored one. */
final case class DDSketchRecipe(domain: Domain, alpha: Double) extends InsertingRecipe[DDSketch] {
  def family: Family[DDSketch] = DDSketches
  def numbers: Seq[Double] = Seq(alpha)
  def empty: DDSketch = new DDSketch(domain, alpha)

  def read(reader: Wire.Reader): DDSketch = {
    val sketch = empty
    sketch.add(DDSketchWire.read(reader, domain, Bins.of(alpha)))
    sketch
  }

  override def mergeInto(summary: Summary, reader: Wire.Reader): Unit = summary match {
    case sketch: DDSketch => sketch.mergeStored(this, reader)
    case foreign => super.mergeInto(foreign, reader)
  }
}
