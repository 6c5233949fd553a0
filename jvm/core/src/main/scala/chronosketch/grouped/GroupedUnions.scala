package chronosketch.grouped

import chronosketch.families.Families
import chronosketch.memory.Meter
import chronosketch.summary.{Bags, Envelope, Header, Recipe, Summary}

/** Merges the stored sketches of each group. The sketches may be of any family. */
final class GroupedUnions(meter: Meter) extends GroupedSummaries[Summary](meter) {
  protected def requireOwn(summary: Summary): Summary = summary
  protected def recipe: Option[Recipe[Summary]] = None
  protected def bagsOf(header: Header[Summary]): Bags[Summary] = header.bags.orNull
  protected def flushStaged(): Unit = ()

  /** Sketches that may differ in more than their rows are opened: one that has seen nothing is neutral. */
  override protected def united(own: Summary, stored: Envelope.StoredHeader, bytes: Array[Byte]): Summary =
    if (!own.isEmpty && stored.header.bags.nonEmpty && own.header == stored.header)
      super.united(own, stored, bytes)
    else Summary.union(own, Envelope.openChecked(bytes, Families.byId))

  override def clear(): Unit = {
    bagMaker = null
    super.clear()
  }
}
