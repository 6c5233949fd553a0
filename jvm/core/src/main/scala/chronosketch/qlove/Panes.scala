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

/** What a pane is made of: the types of its values and of its times, and what will be asked. */
final case class PaneRecipe(domain: Domain, timeDomain: Domain, query: Query) extends Recipe[Pane] {
  def family: Family[Pane] = Panes
  def numbers: Seq[Double] = Nil
  def empty: Pane = new Pane(domain, timeDomain, query)
  override protected def text: String = s"${Panes.name} of $query"
}

/** What stands before a stored pane; its payload has the rest. */
final case class PaneHeader(domain: Domain) extends Header[Pane] {
  def family: Family[Pane] = Panes
  def numbers: Seq[Double] = Nil
  def read(reader: Wire.Reader): Pane = QloveWire.readPane(reader, domain)
}

/** The family of windows of finished panes. Nothing is inserted into them: they are made of panes, and of one another. */
object QloveSketches extends Family[QloveSketch] {
  val id = 5
  val name = "qlove sketch"
  def aggregate: Seq[String] = Panes.aggregate
  val parameters: Seq[Parameter] = Nil
  def header(domain: Domain, numbers: Seq[Double]): Header[QloveSketch] = QloveHeader(domain)
}

/** What stands before a stored window of panes; its payload has the rest. */
final case class QloveHeader(domain: Domain) extends Header[QloveSketch] {
  def family: Family[QloveSketch] = QloveSketches
  def numbers: Seq[Double] = Nil
  def read(reader: Wire.Reader): QloveSketch = QloveWire.readSketch(reader, domain)
}
