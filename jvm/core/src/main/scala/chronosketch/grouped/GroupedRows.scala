package chronosketch.grouped

import scala.reflect.ClassTag

import chronosketch.memory.Meter
import chronosketch.summary.{Bags, Header, Recipe, Summary}

/** The summaries of groups whose rows have more than a value. There are no bags: a group has a summary from its first row on, and
  * the caller inserts the rows into it.
  */
class GroupedRows[S <: Summary: ClassTag](rowRecipe: Recipe[S], meter: Meter)
    extends GroupedSummaries[S](meter) {
  protected def requireOwn(summary: Summary): S = rowRecipe.family.own(summary)
  protected val recipe: Option[Recipe[S]] = Some(rowRecipe)
  protected def bagsOf(header: Header[Summary]): Bags[S] = null
  protected def flushStaged(): Unit = ()
}
