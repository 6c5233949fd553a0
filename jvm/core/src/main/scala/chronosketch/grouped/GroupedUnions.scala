package chronosketch.grouped

import chronosketch.memory.Meter
import chronosketch.summary.{Bags, Header, Recipe, Summary}

/** What do the stored sketches of each group make together? Each says for itself what it is. */
final class GroupedUnions(meter: Meter) extends GroupedSummaries[Summary](meter) {
  protected def opened(summary: Summary): Summary = summary
  protected def recipe: Option[Recipe[Summary]] = None
  protected def bagsOf(header: Header[Summary]): Bags[Summary] = header.bags.orNull
  protected def unstage(): Unit = ()

  override def clear(): Unit = {
    bagged = null
    super.clear()
  }
}
