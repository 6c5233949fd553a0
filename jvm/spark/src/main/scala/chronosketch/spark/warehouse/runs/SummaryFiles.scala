package chronosketch.spark.warehouse.runs

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.JoinedRow
import org.apache.spark.sql.types._
import org.apache.spark.sql.{SparkSession, classic}
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.spark.warehouse.blocks.GroupColumns
import chronosketch.spark.warehouse.manifest.{Damaged, Line, LineFile}

/** Stores the summaries of a run or a live batch, one row per group: a table of quantile sketches that any reader understands. */
private[warehouse] object SummaryFiles {

  /** The columns after those of `by`. */
  val Columns: Seq[StructField] = Seq(
    StructField("run", StringType, nullable = false),
    StructField("first_row", LongType, nullable = false),
    StructField("rows", LongType, nullable = false),
    StructField("sketch", BinaryType, nullable = false)
  )

  def write(
      session: SparkSession,
      folders: RunFolders,
      line: String,
      schema: StructType,
      groups: Seq[GroupSummary]
  ): LineFile = {
    val path = folders.newSummary(line)
    val files = RowFiles(session, StructType(schema.init ++ Columns))
    val file = files.create(path)
    val row = new JoinedRow
    try groups.foreach { g =>
        file.write(row(g.by, InternalRow(UTF8String.fromString(line), g.firstRow, g.rows, g.sketch)))
      }
    finally file.close()
    LineFile(path.getName, groups.size.toLong, files.length(path))
  }

  /** Reads the groups of manifest entries, each in their order, in one job. */
  def read(
      session: SparkSession,
      folders: RunFolders,
      lines: Seq[Line],
      by: StructType
  ): Map[String, Seq[GroupSummary]] = {
    val files = lines.flatMap(line => folders.summaryOf(line).zip(line.summary))
    files.foreach { case (path, file) => folders.require(path, file) }
    val rows =
      if (files.isEmpty) Array.empty[InternalRow]
      else
        session.read.schema(StructType(by ++ Columns)).parquet(files.map(_._1.toString): _*)
          .asInstanceOf[classic.DataFrame].queryExecution.executedPlan.executeCollect()
    val byOf = GroupColumns.of(by)
    val groups = rows.toSeq.map { row =>
      val at = by.length
      row.getUTF8String(at).toString ->
        GroupSummary(byOf(row).copy(), row.getLong(at + 1), row.getLong(at + 2), row.getBinary(at + 3))
    }.groupMap(_._1)(_._2)
    lines.map(line => line.id -> whole(line, groups.getOrElse(line.id, Nil).sortBy(_.firstRow))).toMap
  }

  /** Refuses groups that do not cover all rows of the entry without gaps. */
  private def whole(line: Line, groups: Seq[GroupSummary]): Seq[GroupSummary] = {
    val ends = groups.scanLeft(0L)(_ + _.rows)
    if (ends.last != line.rows || groups.map(_.firstRow) != ends.init)
      throw Damaged(s"the summary of ${line.id} is not one of its ${line.rows} rows")
    groups
  }
}
