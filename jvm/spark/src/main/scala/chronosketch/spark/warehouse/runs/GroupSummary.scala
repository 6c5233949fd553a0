package chronosketch.spark.warehouse.runs

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import chronosketch.families.Families
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.rank.RankProfile
import chronosketch.spark.warehouse.manifest._
import chronosketch.summary.Envelope
import chronosketch.warehouse.{KnownRanks, RunSamples}

/** The summary of one group in a run or a live batch.
  *
  * @param firstRow how many rows the groups before it have. In a run its least value is at this row, and its other values follow
  * @param rows     the number of its rows
  * @param sketch   a quantile sketch; that of a run has exact ranks
  */
private[warehouse] final case class GroupSummary(
    by: UnsafeRow,
    firstRow: Long,
    rows: Long,
    sketch: Array[Byte]
) {

  /** For a run: the known ranks, counted from 1 at [[firstRow]]. */
  def known: KnownRanks = KnownRanks.of(GroupSummary.opened(sketch))

  /** For a live batch: the bounds of all ranks. */
  def profile: RankProfile = GroupSummary.opened(sketch).profile
}

private[warehouse] object GroupSummary {

  /** Decodes the sketch of a group. */
  def opened(sketch: Array[Byte]): GreenwaldKhanna = Families.open(sketch) match {
    case summary: GreenwaldKhanna => summary
    case other => throw Damaged(s"the summary of a group has the family ${other.family}")
  }

  /** Makes the summaries of a run from its parts, in order. A group may begin in one part and end in another. */
  private[runs] def of(parts: Seq[Part], schema: StructType, limit: LineLimit): Seq[GroupSummary] = {
    val domain = Definition.domain(schema.last.dataType)
    val all = mutable.ArrayBuffer.empty[GroupOfPart]
    parts.foreach(_.groups.foreach { group =>
      if (all.nonEmpty && all.last.by == group.by) all.last.samples.append(group.samples) else all += group
    })
    limit match {
      case MostError(_) => summaries(all.toSeq, _.sketch(domain))
      case MostBytes(most) =>
        Fitting.closest[GroupSummary](most, all.size, _.sketch) { epsilon =>
          summaries(
            all.toSeq,
            samples => samples.sketch(domain, math.max(epsilon, math.min(Fitting.Coarsest, samples.finest)))
          )
        }
    }
  }

  private def summaries(
      groups: Seq[GroupOfPart],
      sketch: RunSamples => GreenwaldKhanna
  ): Seq[GroupSummary] = {
    var row = 0L
    groups.map { group =>
      val rows = group.samples.count
      row += rows
      GroupSummary(group.by, row - rows, rows, Envelope.seal(sketch(group.samples)))
    }
  }
}
