package chronosketch.moments

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.summary.{Family, Header, Parameter, Recipe}

/** The family of [[ComomentsSketch]]. */
object ComomentsSketches extends Family[ComomentsSketch] {
  val id = 10
  val name = "comoments sketch"
  def aggregate: Seq[String] = Seq("comoments_agg", "y", "x")
  val parameters: Seq[Parameter] = Nil

  /** Applies to y and to x. */
  override def takes(domain: Domain): Boolean = domain.isNumeric

  def header(domain: Domain, numbers: Seq[Double]): Header[ComomentsSketch] = ComomentsHeader(domain)
}

/** The parameters of an empty [[ComomentsSketch]]: the types of y and x. */
final case class ComomentsRecipe(domain: Domain, xDomain: Domain) extends Recipe[ComomentsSketch] {
  def family: Family[ComomentsSketch] = ComomentsSketches
  def numbers: Seq[Double] = Nil
  def empty: ComomentsSketch = new ComomentsSketch(domain, xDomain)
}

/** The header of a stored sketch. The type of x is the first part of the payload. */
final case class ComomentsHeader(domain: Domain) extends Header[ComomentsSketch] {
  def family: Family[ComomentsSketch] = ComomentsSketches
  def numbers: Seq[Double] = Nil

  def read(reader: Wire.Reader): ComomentsSketch = {
    val kind = reader.byte()
    val xDomain = Domain.read(kind, reader.byte(), reader.byte())
      .filter(ComomentsSketches.takes)
      .getOrElse(throw reader.corrupt(s"its x have a type that is not numeric ($kind)"))
    val sketch = new ComomentsSketch(domain, xDomain)
    sketch.read(reader)
    sketch
  }
}
