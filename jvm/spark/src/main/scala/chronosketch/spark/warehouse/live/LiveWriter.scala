package chronosketch.spark.warehouse.live

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkSession, classic}

import chronosketch.families.Families
import chronosketch.spark.warehouse.manifest._
import chronosketch.spark.warehouse.runs._
import chronosketch.summary.{Envelope, Summary}

/** Writes rows as a live batch: in the order of arrival, with a sketch of every group.
  *
  * Guarantee  no manifest names a live batch before it is complete, and it never changes; its sketches keep to the limit of the definition
  * Cost       one pass; the driver holds the sketches of all groups
  */
private[warehouse] final class LiveWriter(session: SparkSession, folders: RunFolders) {

  /** Creates the files that tasks write to, in a folder of their own. `schema` has the columns of `by` and then the value; `batches` is the
    * number of live batches that there will be.
    */
  def files(id: String, schema: StructType, definition: Definition, batches: Int): LiveFiles = {
    val stored = schema.copy(schema.fields.init :+ schema.fields.last.copy(nullable = false))
    LiveFiles(folders.of(id).toString, RowFiles(session, stored), definition.limits.live(batches))
  }

  /** Makes the manifest entry of what tasks have written, and writes its summary. */
  def line(id: String, level: Int, files: LiveFiles, parts: Seq[LivePart]): Live = {
    val groups = parts.flatMap(_.groups)
    val summaries = Coarser.groups(files.limit, summed(groups))
    val live = Live(
      id,
      level,
      parts.map(_.nulls).sum,
      Option.when(groups.nonEmpty)((groups.map(_.least).min, groups.map(_.greatest).max)),
      parts.flatMap(_.file),
      Option.when(groups.nonEmpty)(
        SummaryFiles.write(session, folders, id, files.files.schema, summaries)
      )
    )
    SummaryCache.put(live, summaries)
    live
  }

  /** Rewrites stored rows as one live batch. */
  def write(rows: DataFrame, definition: Definition, level: Int, batches: Int): Live = {
    val id = State.newId()
    val to = files(id, rows.schema, definition, batches)
    val parts = session.sparkContext.runJob(
      rows.asInstanceOf[classic.DataFrame].queryExecution.toRdd,
      (task: TaskContext, rows: Iterator[InternalRow]) => LiveWriter.part(to.open(task.partitionId()), rows)
    )
    line(id, level, to, parts.toSeq)
  }

  private def summed(all: Seq[LiveGroup]): Seq[GroupSummary] = {
    val byGroup = mutable.LinkedHashMap.empty[UnsafeRow, mutable.ArrayBuffer[LiveGroup]]
    all.foreach(g => byGroup.getOrElseUpdate(g.by, mutable.ArrayBuffer.empty) += g)
    var before = 0L
    byGroup.iterator.map { case (by, groups) =>
      val rows = groups.map(_.rows).sum
      val summary = GroupSummary(by, before, rows, merged(groups.toSeq.map(_.sketch)))
      before += rows
      summary
    }.toSeq
  }

  private def merged(sketches: Seq[Array[Byte]]): Array[Byte] =
    if (sketches.size == 1) sketches.head
    else {
      val opened: Seq[Summary] = sketches.map(Families.open)
      opened.tail.foreach(opened.head.merge)
      Envelope.seal(opened.head)
    }
}

private[live] object LiveWriter {
  private def part(file: LiveFile, rows: Iterator[InternalRow]): LivePart =
    try {
      rows.foreach(file.write)
      file.part()
    } finally file.close()
}
