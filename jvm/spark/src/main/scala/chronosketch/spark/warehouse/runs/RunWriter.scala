package chronosketch.spark.warehouse.runs

import org.apache.spark.sql.SparkSession

import chronosketch.spark.warehouse.blocks.SortedRows
import chronosketch.spark.warehouse.manifest.{LineLimit, Run, State}

/** Writes rows as a run: sorted by group and value, in files of their own folder, with the summary of every group.
  *
  * Guarantee  no manifest names a run before it is complete, and it never changes
  * Cost       one pass over the sorted rows
  */
private[warehouse] final class RunWriter(session: SparkSession, folders: RunFolders) {

  /** Writes rows of the steps from `firstStep` to `lastStep` as one run; `steps` is the number of these steps. */
  def write(
      rows: SortedRows,
      limit: LineLimit,
      level: Int,
      firstStep: Long,
      lastStep: Long,
      steps: Long
  ): Run = {
    val id = State.newId()
    val schema = rows.schema.copy(rows.schema.fields.init :+ rows.schema.fields.last.copy(nullable = false))
    val to = new Parts(folders.of(id).toString, RowFiles(session, schema), limit)
    val sorted = rows.each(to.write)
    val parts = sorted.parts.flatten
    val groups = GroupSummary.of(parts, schema, limit)
    val run = Run(
      id,
      level,
      firstStep,
      lastStep,
      steps,
      sorted.nulls,
      Option.when(groups.nonEmpty)((
        parts.flatMap(_.groups.map(_.least)).min,
        parts.flatMap(_.groups.map(_.greatest)).max
      )),
      parts.map(_.file),
      Option.when(groups.nonEmpty)(SummaryFiles.write(session, folders, id, schema, groups))
    )
    SummaryCache.put(run, groups)
    run
  }
}
