package chronosketch.qlove

import chronosketch.codec.Wire
import chronosketch.domain.Domain
import chronosketch.summary.{Family, Header, Parameter, Recipe}

/** The family of panes that still take rows. */
object Panes extends Family[Pane] {
  val id = 4
  val name = "unfinished qlove pane"
  def aggregate: Seq[String] = Seq("qlove_sketch_agg", "value", "event_time", "phis", "panes")
  val parameters: Seq[Parameter] = Nil
  def header(domain: Domain, numbers: Seq[Double]): Header[Pane] = PaneHeader(domain)
}

/** The parameters of a pane: the types of its values and of its times, and the query. */
final case class PaneRecipe(domain: Domain, timeDomain: Domain, query: Query) extends Recipe[Pane] {
  def family: Family[Pane] = Panes
  def numbers: Seq[Double] = Nil
  def empty: Pane = new Pane(domain, timeDomain, query)
  override protected def text: String = s"${Panes.name} of $query"
}

/** The header of a stored pane. The rest is in the payload. */
final case class PaneHeader(domain: Domain) extends Header[Pane] {
  def family: Family[Pane] = Panes
  def numbers: Seq[Double] = Nil
  def read(reader: Wire.Reader): Pane = QloveWire.readPane(reader, domain)
}

/** The family of windows of finished panes. Nothing can be inserted: they are made from panes and by merging. */
object QloveSketches extends Family[QloveSketch] {
  val id = 5
  val name = "qlove sketch"
  def aggregate: Seq[String] = Panes.aggregate
  val parameters: Seq[Parameter] = Nil
  def header(domain: Domain, numbers: Seq[Double]): Header[QloveSketch] = QloveHeader(domain)
}

/** The header of a stored window of panes. The rest is in the payload. */
final case class QloveHeader(domain: Domain) extends Header[QloveSketch] {
  def family: Family[QloveSketch] = QloveSketches
  def numbers: Seq[Double] = Nil
  def read(reader: Wire.Reader): QloveSketch = QloveWire.readSketch(reader, domain)
}
