package chronosketch.spark.warehouse.runs

import java.util.UUID

import scala.util.control.NonFatal

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.hadoop.mapreduce.{Job, TaskAttemptID}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{OutputWriter, OutputWriterFactory}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, Row, SparkSession, classic}
import org.apache.spark.util.SerializableConfiguration

import chronosketch.spark.warehouse.manifest.{Definition, EntryFile, ManifestEntry}

/** Creates Parquet files from which single rows can be read cheaply. */
private[warehouse] final class RowFiles private (
    val schema: StructType,
    factory: OutputWriterFactory,
    conf: SerializableConfiguration
) extends Serializable {

  /** Creates a file to write rows to. */
  def create(path: Path): OutputWriter = SQLConf.withExistingConf(RowFiles.calendarConf) {
    factory.newInstance(path.toString, schema, new TaskAttemptContextImpl(conf.value, new TaskAttemptID()))
  }

  def delete(path: Path): Unit = { path.getFileSystem(conf.value).delete(path, false); () }

  def length(path: Path): Long = path.getFileSystem(conf.value).getFileStatus(path).getLen
}

private[warehouse] object RowFiles {

  /** Row groups of 8 MB, pages of a thousand rows, and dictionaries that are at most a few pages long. */
  private val Layout = Map(
    "parquet.block.size" -> (8 << 20).toString,
    "parquet.page.row.count.limit" -> "1000",
    "parquet.dictionary.page.size" -> (1 << 16).toString
  )

  /** Fixes settings of the session that would change the meaning of stored bits. */
  private val Meaning = Map(
    "spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS",
    "spark.sql.parquet.writeLegacyFormat" -> "false",
    "spark.sql.parquet.fieldId.write.enabled" -> "false"
  )

  /** Fixes another such setting, which a writer reads from the SQL configuration of its thread when it is created. */
  private def calendarConf: SQLConf = {
    val conf = new SQLConf
    conf.setConfString("spark.sql.parquet.datetimeRebaseModeInWrite", "CORRECTED")
    conf
  }

  def apply(session: SparkSession, schema: StructType): RowFiles = {
    val job = Job.getInstance(session.asInstanceOf[classic.SparkSession].sessionState.newHadoopConf())
    val factory = new ParquetFileFormat().prepareWrite(session, job, Map("compression" -> "zstd"), schema)
    val conf = job.getConfiguration
    (Layout ++ Meaning).foreach { case (key, value) => conf.set(key, value) }
    new RowFiles(schema, factory, new SerializableConfiguration(conf))
  }
}

/** A file to which a task writes rows. If the task is lost or repeated, its file stays but no manifest names it. */
private[warehouse] final class RowFileWriter(folder: String, files: RowFiles, task: Int) {
  private val name = f"part-$task%05d-${UUID.randomUUID()}.zstd.parquet"
  private val path = new Path(folder, name)
  private val output = files.create(path)
  private var rows = 0L

  def write(row: InternalRow): Unit = {
    output.write(row)
    rows += 1
  }

  def close(): Unit = output.close()

  /** Deletes the file of a task that failed or was killed. */
  def discard(): Unit =
    try output.close()
    catch { case NonFatal(_) => } // an interrupted thread can't write the rest
    finally files.delete(path)

  /** The manifest entry of the file, after it is closed. */
  def result: EntryFile = EntryFile(name, rows, files.length(path))
}

/** Reads the rows of manifest entries that are about to be merged. */
private[warehouse] final class EntryRows(session: SparkSession, folders: EntryFolders) {
  def read(entries: Seq[ManifestEntry], definition: Definition): DataFrame = {
    val schema = definition.schema(definition.types.get)
    val files = entries.flatMap(entry => entry.files.zip(folders.rowFiles(entry)))
    files.foreach { case (file, path) => folders.requireFile(path, file) }
    if (files.isEmpty) session.createDataFrame(java.util.Collections.emptyList[Row](), schema)
    else session.read.schema(schema).parquet(files.map(_._2.toString): _*)
  }
}
