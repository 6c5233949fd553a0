package chronosketch.spark.warehouse.runs

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.{DataFrame, SparkSession, classic, functions}

import chronosketch.spark.warehouse.manifest.{Run, State}

/** Writes rows as a run: sorted by group and value, in files of their own folder, with the summary of every group beside them.
  *
  * Guarantee  a run is named by no manifest before all of it is there, and never changed
  * Cost       a sort of all the rows, and one pass
  *
  * Here is where the rows are sorted: by Spark, which spills what does not fit into memory.
  */
private[warehouse] final class RunWriter(session: SparkSession, folders: RunFolders) {

  /** `rows` has the columns of `by` and then the value, by these names; all are of the steps from `firstStep` to `lastStep`. */
  def write(
      rows: DataFrame,
      epsilon: Double,
      level: Int,
      firstStep: Long,
      lastStep: Long,
      steps: Long
  ): Run = {
    val id = State.newId()
    val folder = folders.of(id)
    val columns = rows.columns.map(name => functions.col(quoted(name)))
    val sorted = rows.sort(columns.toSeq.map(_.asc_nulls_first): _*).asInstanceOf[classic.DataFrame]
    val schema = rows.schema.copy(rows.schema.fields.init :+ rows.schema.fields.last.copy(nullable = false))
    val parts = written(sorted, new Parts(folder.toString, RowFiles(session, schema), epsilon))
    val groups = GroupSummary.of(parts.toSeq, schema)
    SummaryCache.put(id, groups)
    Run(
      id,
      level,
      firstStep,
      lastStep,
      steps,
      parts.map(_.nulls).sum,
      Option.when(groups.nonEmpty)((
        parts.flatMap(_.groups.map(_.least)).min,
        parts.flatMap(_.groups.map(_.greatest)).max
      )),
      parts.map(_.file).toSeq.filter(_.rows > 0),
      Option.when(groups.nonEmpty)(SummaryFiles.write(session, folders, id, schema, groups))
    )
  }

  private def written(sorted: classic.DataFrame, parts: Parts): Array[Part] =
    session.sparkContext.runJob(
      sorted.queryExecution.toRdd,
      (task: TaskContext, rows: Iterator[InternalRow]) => parts.write(task, rows)
    ).flatten

  private def quoted(name: String): String = s"`${name.replace("`", "``")}`"
}
