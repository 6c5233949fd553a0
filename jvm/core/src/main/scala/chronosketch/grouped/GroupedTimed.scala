package chronosketch.grouped

import chronosketch.memory.Meter
import chronosketch.summary.{Bags, Header, Recipe, Summary, Timed}

/** Which values did each group see, and when? A group has a summary from its first row on. */
final class GroupedTimed(of: Recipe[Timed], meter: Meter) extends GroupedSummaries[Timed](meter) {
  protected def opened(summary: Summary): Timed = of.family.own(summary)
  protected val recipe: Option[Recipe[Timed]] = Some(of)
  protected def bagsOf(header: Header[Summary]): Bags[Timed] = null
  protected def unstage(): Unit = ()

  def insert(group: Int, key: Long, time: Long, passed: Int): Unit =
    summary(group).insert(key, time, passed)
}
