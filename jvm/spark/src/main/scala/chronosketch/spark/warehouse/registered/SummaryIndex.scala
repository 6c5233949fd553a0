package chronosketch.spark.warehouse.registered

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionDirectory}
import org.apache.spark.sql.types._

import chronosketch.Refusal
import chronosketch.spark.sql.Conditions
import chronosketch.spark.warehouse.manifest.{Line, LineFile, Live, Run, State}
import chronosketch.spark.warehouse.runs.RunFolders

/** Lists the summary files of one version for Spark. The steps of an entry are partition columns, so that a condition on steps decides
  * which files are read.
  */
private[warehouse] final class SummaryIndex(folders: RunFolders, state: State) extends FileIndex {
  val partitionSchema: StructType = StructType(SummaryIndex.Columns)

  def rootPaths: Seq[Path] = Seq(folders.warehouse)
  def inputFiles: Array[String] = paths.map(_.toString).toArray
  def sizeInBytes: Long = state.lines.flatMap(_.summary).map(_.bytes).sum

  /** Does nothing: the version never changes. */
  def refresh(): Unit = ()

  def listFiles(
      partitionFilters: Seq[Expression],
      rowFilters: Seq[Expression]
  ): Seq[PartitionDirectory] = {
    val isSelected = condition(partitionFilters)
    for {
      line <- state.lines
      path <- folders.summaryOf(line)
      summary <- line.summary
      values = columns(line) if isSelected(values)
    } yield PartitionDirectory(values, Array(file(path, summary)))
  }

  private def paths: Seq[Path] = state.lines.flatMap(line => folders.summaryOf(line))

  private def columns(line: Line): InternalRow = line match {
    case run: Run => InternalRow(run.firstStep, run.lastStep, false, state.version)
    case _: Live => InternalRow(state.stepFor(None), state.stepFor(None), true, state.version)
  }

  private def condition(filters: Seq[Expression]): InternalRow => Boolean =
    filters.reduceOption(And).fold((_: InternalRow) => true) { all =>
      val bound = all.transform { case column: AttributeReference =>
        val at = partitionSchema.fieldIndex(column.name)
        BoundReference(at, partitionSchema(at).dataType, nullable = false)
      }
      Predicate.createInterpreted(bound).eval(_)
    }

  private def file(path: Path, summary: LineFile): FileStatus =
    Conditions.answering(Map("function" -> "a view", "path" -> folders.warehouse.toString)) {
      if (!path.getFileSystem(folders.conf).exists(path))
        throw Refusal("CHRONOSKETCH_WAREHOUSE_VERSION_GONE", "version" -> state.version.toString)
      folders.require(path, summary)
      new FileStatus(summary.bytes, false, 1, summary.bytes, 0L, path)
    }
}

private[warehouse] object SummaryIndex {

  /** The partition columns, which come from the manifest. A live batch counts as part of the step that would end next. */
  val Columns: Seq[StructField] = Seq(
    StructField("first_step", LongType, nullable = false),
    StructField("last_step", LongType, nullable = false),
    StructField("is_live", BooleanType, nullable = false),
    StructField("version", LongType, nullable = false)
  )
}
