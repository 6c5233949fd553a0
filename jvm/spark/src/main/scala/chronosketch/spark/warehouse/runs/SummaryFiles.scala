package chronosketch.spark.warehouse.runs

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, JoinedRow, UnsafeProjection}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.sql.{SparkSession, classic}
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.spark.warehouse.manifest.{Run, RunFile}

/** The summaries of a run, a row a group: a table of quantile sketches that any reader takes. */
private[warehouse] object SummaryFiles {

  /** What stands behind the columns of `by`. */
  val Columns: Seq[StructField] = Seq(
    StructField("run", StringType, nullable = false),
    StructField("first_row", LongType, nullable = false),
    StructField("rows", LongType, nullable = false),
    StructField("sketch", BinaryType, nullable = false)
  )

  def write(
      session: SparkSession,
      folders: RunFolders,
      run: String,
      schema: StructType,
      groups: Seq[GroupSummary]
  ): RunFile = {
    val path = folders.summaryOf(run)
    val files = RowFiles(session, StructType(schema.init ++ Columns))
    val conf = session.asInstanceOf[classic.SparkSession].sessionState.conf.clone()
    val (key, value) = RowFiles.Calendar
    conf.setConfString(key, value)
    SQLConf.withExistingConf(conf) {
      val file = files.create(path)
      val row = new JoinedRow
      try groups.foreach { g =>
          val columns = InternalRow(UTF8String.fromString(run), g.firstRow, g.rows, g.sketch)
          file.write(row(g.by, columns))
        }
      finally file.close()
    }
    RunFile(path.getName, groups.size.toLong, files.length(path))
  }

  /** The groups of some runs, each in the order of its rows: one job. */
  def read(
      session: SparkSession,
      folders: RunFolders,
      runs: Seq[Run],
      by: StructType
  ): Map[String, Seq[GroupSummary]] = {
    val files = runs.flatMap(run => run.summary.map(folders.summaryOf(run.id) -> _))
    files.foreach { case (path, file) => folders.require(path, file) }
    val rows =
      if (files.isEmpty) Array.empty[InternalRow]
      else
        session.read.schema(StructType(by ++ Columns)).parquet(files.map(_._1.toString): _*)
          .asInstanceOf[classic.DataFrame].queryExecution.executedPlan.executeCollect()
    val byOf = UnsafeProjection.create(
      by.zipWithIndex.map { case (f, i) => BoundReference(i, f.dataType, f.nullable) }
    )
    val groups = rows.toSeq.map { row =>
      val at = by.length
      row.getUTF8String(at).toString ->
        GroupSummary(byOf(row).copy(), row.getLong(at + 1), row.getLong(at + 2), row.getBinary(at + 3))
    }.groupMap(_._1)(_._2)
    runs.map(run => run.id -> whole(run, groups.getOrElse(run.id, Nil).sortBy(_.firstRow))).toMap
  }

  /** Refuses groups that are not all rows of the run, one after the other. */
  private def whole(run: Run, groups: Seq[GroupSummary]): Seq[GroupSummary] = {
    val ends = groups.scanLeft(0L)(_ + _.rows)
    if (ends.last != run.rows || groups.map(_.firstRow) != ends.init)
      throw RunFolders.damaged(s"the summary of run ${run.id} is not one of its ${run.rows} rows")
    groups
  }
}
