package chronosketch.spark.warehouse.runs

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import chronosketch.families.Families
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.spark.warehouse.manifest.Definition
import chronosketch.summary.Envelope
import chronosketch.warehouse.KnownRanks

/** What a run knows of one group.
  *
  * @param firstRow the row of the run that is its least; its others follow
  * @param rows     how many it has
  * @param sketch   a quantile sketch whose ranks are exact
  */
private[warehouse] final case class GroupSummary(
    by: UnsafeRow,
    firstRow: Long,
    rows: Long,
    sketch: Array[Byte]
) {

  /** Of the places counted from 1 at [[firstRow]]. */
  def known: KnownRanks = Families.open(sketch) match {
    case summary: GreenwaldKhanna => KnownRanks.of(summary)
    case other => throw RunFolders.damaged(s"the summary of a run is a ${other.family}")
  }
}

private[runs] object GroupSummary {

  /** Those of the parts of a run, in their order; a group may begin in one part and end in another. */
  def of(parts: Seq[Part], schema: StructType): Seq[GroupSummary] = {
    val domain = Definition.domain(schema.last.dataType)
    val all = mutable.ArrayBuffer.empty[GroupOfPart]
    parts.foreach(_.groups.foreach { group =>
      if (all.nonEmpty && all.last.by == group.by) all.last.samples.append(group.samples) else all += group
    })
    var row = 0L
    all.toSeq.map { group =>
      val rows = group.samples.count
      row += rows
      GroupSummary(group.by, row - rows, rows, Envelope.seal(group.samples.sketch(domain)))
    }
  }
}
