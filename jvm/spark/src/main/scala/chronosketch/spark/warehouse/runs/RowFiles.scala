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

/** Creates Parquet files in which single rows can be read cheaply. */
private[warehouse] final class RowFiles private (
    val schema: StructType,
    factory: OutputWriterFactory,
    conf: SerializableConfiguration
) extends Serializable {

  /** Creates a file to write rows to. */
  def create(path: Path): OutputWriter = SQLConf.withExistingConf(RowFiles.calendar) {
    factory.newInstance(path.toString, schema, new TaskAttemptContextImpl(conf.value, new TaskAttemptID()))
  }

  def length(path: Path): Long = path.getFileSystem(conf.value).getFileStatus(path).getLen
}

private[warehouse] object RowFiles {

  /** Row groups of 8 MB, pages of a thousand rows, and dictionaries that are at most a few pages long. */
  private val Layout = Map(
    "parquet.block.size" -> (8 << 20).toString,
    "parquet.page.row.count.limit" -> "1000",
    "parquet.dictionary.page.size" -> (1 << 16).toString
  )

  /** Settings of the session that would change what stored bits mean, fixed. */
  private val Meaning = Map(
    "spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS",
    "spark.sql.parquet.writeLegacyFormat" -> "false",
    "spark.sql.parquet.fieldId.write.enabled" -> "false"
  )

  /** Another such setting, which a writer reads from the SQL configuration of its thread when it is created. */
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
