package chronosketch.grouped

import scala.reflect.ClassTag

import chronosketch.memory.Meter
import chronosketch.summary.{Bags, Header, Recipe, Summary}

/** What did the rows of each group bring, where each row goes into the summary by itself? A group has a summary from its first row on. */
class GroupedRows[S <: Summary: ClassTag](of: Recipe[S], meter: Meter)
    extends GroupedSummaries[S](meter) {
  protected def opened(summary: Summary): S = of.family.own(summary)
  protected val recipe: Option[Recipe[S]] = Some(of)
  protected def bagsOf(header: Header[Summary]): Bags[S] = null
  protected def unstage(): Unit = ()
}
