package chronosketch.spark.warehouse.live

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

import chronosketch.spark.warehouse.manifest._
import chronosketch.spark.warehouse.runs._

/** Keeps the sketches of all live batches within the memory that they share: the more batches, the smaller the share of each.
  *
  * Guarantee  they take at most half of the memory, whatever other writers commit meanwhile, unless the coarsest sketches do not fit either
  *            because there are too many groups
  * Cost       a look at the size of each sketch; whenever the number of batches doubles, a new file of sketches for each of them. The old
  *            files stay for older versions
  */
private[live] final class LiveShares(session: SparkSession, folders: RunFolders) {
  private val summaries = new LineSummaries(session, folders)

  /** Coarsens, in a state that is about to be committed, the sketches of the batches that exceed their share. */
  def kept(state: State): State = state.definition.limits match {
    case _: ErrorLimits => state
    case limits: MemoryLimits =>
      val schema = state.definition.schema(state.definition.types.get)
      val groups = summaries.of(state.live, StructType(schema.init))
      val limit = limits.live(state.live.size)
      state.withLive(live => groups.get(live.id).fold(live)(coarsened(schema, live, _, limit)))
  }

  private def coarsened(schema: StructType, live: Live, groups: Seq[GroupSummary], limit: MostBytes): Live =
    if (bytesOf(groups) <= limit.bytes) live
    else {
      val coarser = Coarser.groups(limit, groups)
      if (bytesOf(coarser) == bytesOf(groups)) live
      else {
        val written = SummaryFiles.write(session, folders, live.id, schema, coarser)
        val replaced = live.copy(summary = Some(written))
        SummaryCache.put(replaced, coarser)
        replaced
      }
    }

  private def bytesOf(groups: Seq[GroupSummary]): Long = Fitting.bytes(groups.iterator.map(_.sketch))
}
