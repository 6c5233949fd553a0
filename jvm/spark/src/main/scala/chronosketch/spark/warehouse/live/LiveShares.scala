package chronosketch.spark.warehouse.live

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

import chronosketch.spark.warehouse.manifest._
import chronosketch.spark.warehouse.runs._

/** Keeps the sketches of all live batches to the memory that they share: the more batches, the less each of them has.
  *
  * Guarantee  they take no more than half of the memory, whoever else commits meanwhile, but where groups are so many that the coarsest
  *            sketches don't fit
  * Cost       a look at what each sketch takes; as often as the number of batches doubles, a new file of sketches for each of them. The
  *            files that they had before stay for older versions
  */
private[live] final class LiveShares(session: SparkSession, folders: RunFolders) {
  private val summaries = new LineSummaries(session, folders)

  /** A state that is about to be committed, with coarser sketches for the batches that take more than their share. */
  def kept(state: State): State = state.definition.limits match {
    case _: ErrorLimits => state
    case limits: MemoryLimits =>
      val schema = state.definition.schema(state.definition.types.get)
      val groups = summaries.of(state.live, StructType(schema.init))
      val limit = limits.live(state.live.size)
      state.withLive(live => groups.get(live.id).fold(live)(kept(schema, live, _, limit)))
  }

  private def kept(schema: StructType, live: Live, groups: Seq[GroupSummary], limit: MostBytes): Live =
    if (taken(groups) <= limit.bytes) live
    else {
      val coarser = Coarser.groups(limit, groups)
      if (taken(coarser) == taken(groups)) live
      else {
        val file = SummaryFiles.write(session, folders, live.id, schema, coarser)
        val made = live.copy(summary = Some(file))
        SummaryCache.put(made, coarser)
        made
      }
    }

  private def taken(groups: Seq[GroupSummary]): Long = Fitting.bytes(groups.iterator.map(_.sketch))
}
