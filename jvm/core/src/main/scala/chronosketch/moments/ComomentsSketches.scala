package chronosketch.moments

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.summary.{Family, Header, Parameter, Recipe}

/** The family of sketches of pairs. */
object ComomentsSketches extends Family[ComomentsSketch] {
  val id = 10
  val name = "comoments sketch"
  def aggregate: Seq[String] = Seq("comoments_agg", "y", "x")
  val parameters: Seq[Parameter] = Nil

  /** Of y, and of x. */
  override def takes(domain: Domain): Boolean = domain.isNumeric

  def header(domain: Domain, numbers: Seq[Double]): Header[ComomentsSketch] = ComomentsHeader(domain)
}

/** What an empty sketch of pairs is made of: the type of y, and of x. */
final case class ComomentsRecipe(domain: Domain, xDomain: Domain) extends Recipe[ComomentsSketch] {
  def family: Family[ComomentsSketch] = ComomentsSketches
  def numbers: Seq[Double] = Nil
  def empty: ComomentsSketch = new ComomentsSketch(domain, xDomain)
}

/** What stands before a stored one; the type of x is the payload's first. */
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
