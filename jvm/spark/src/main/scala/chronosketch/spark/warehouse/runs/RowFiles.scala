package chronosketch.spark.warehouse.runs

import org.apache.hadoop.fs.Path
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl
import org.apache.hadoop.mapreduce.{Job, TaskAttemptID}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.{OutputWriter, OutputWriterFactory}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{SparkSession, classic}
import org.apache.spark.util.SerializableConfiguration

/** Opens Parquet files of which a few rows can be read alone. */
private[warehouse] final class RowFiles private (
    val schema: StructType,
    factory: OutputWriterFactory,
    conf: SerializableConfiguration
) extends Serializable {

  /** A file that rows are written to. */
  def create(path: Path): OutputWriter = SQLConf.withExistingConf(RowFiles.calendar) {
    factory.newInstance(path.toString, schema, new TaskAttemptContextImpl(conf.value, new TaskAttemptID()))
  }

  def length(path: Path): Long = path.getFileSystem(conf.value).getFileStatus(path).getLen
}

private[warehouse] object RowFiles {

  /** 8 MB row groups, pages of a thousand rows, and dictionaries that are no longer than a few of these. */
  private val Layout = Map(
    "parquet.block.size" -> (8 << 20).toString,
    "parquet.page.row.count.limit" -> "1000",
    "parquet.dictionary.page.size" -> (1 << 16).toString
  )

  /** What the bits of a value mean does not depend on the settings of a session. */
  private val Meaning = Map(
    "spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS",
    "spark.sql.parquet.writeLegacyFormat" -> "false",
    "spark.sql.parquet.fieldId.write.enabled" -> "false"
  )

  /** The same, which a writer reads among the settings of its thread when it is made. */
  private def calendar: SQLConf = {
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
