package chronosketch.spark.warehouse

import java.util.{Map => JavaMap, Set => JavaSet}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal, UnsafeProjection}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.connector.catalog.{SupportsWrite, Table, TableCapability, TableProvider}
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}
import org.apache.spark.sql.connector.write.{
  DataWriter,
  LogicalWriteInfo,
  PhysicalWriteInfo,
  Write,
  WriteBuilder,
  WriterCommitMessage
}
import org.apache.spark.sql.sources.DataSourceRegister
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import chronosketch.domain.Domain
import chronosketch.spark.sql.{Conditions, Span}
import chronosketch.spark.warehouse.live.{
  LiveFileWriter,
  LiveFiles,
  LivePart,
  LiveStream,
  StartedBatch,
  StepLength
}

/** The data source of `writeStream.format("chronosketch")`, in classic Spark and Connect. Wrong options or columns are reported when the
  * query starts.
  */
final class WarehouseSink extends TableProvider with DataSourceRegister {
  def shortName(): String = "chronosketch"

  override def supportsExternalMetadata: Boolean = true
  def inferSchema(options: CaseInsensitiveStringMap): StructType = new StructType

  def getTable(
      schema: StructType,
      partitioning: Array[Transform],
      properties: JavaMap[String, String]
  ): Table = {
    val options = new CaseInsensitiveStringMap(properties)
    val path = Option(options.get("path")).getOrElse(
      throw Conditions.analysisError(
        "CHRONOSKETCH_WAREHOUSE_ARGUMENT",
        CurrentOrigin.get,
        "function" -> WarehouseSink.Function,
        "argument" -> "path",
        "required" -> "the path or the name of a warehouse",
        "sql" -> "NULL"
      )
    )
    new WarehouseTable(
      Warehouse.open(SparkSession.active, path),
      schema,
      Option(options.get("step")).map(WarehouseSink.stepLength)
    )
  }
}

private[warehouse] object WarehouseSink {
  val Function = "warehouse attach"

  private def stepLength(text: String): StepLength = {
    val micros = Span.of(Function, "step", Literal(text)).in(Domain.Timestamp)
    // rounds up to milliseconds, the unit of clocks and manifests
    StepLength(-Math.floorDiv(-micros, 1000L))
  }
}

/** A warehouse as a starting stream sees it: a table to which rows can be added. */
private final class WarehouseTable(
    warehouse: Warehouse,
    override val schema: StructType,
    length: Option[StepLength]
) extends SupportsWrite {
  // checked here, so that the error is raised where the query is started
  warehouse.requireColumns(toAttributes(schema))

  def name: String = s"chronosketch warehouse ${warehouse.path}"

  def capabilities: JavaSet[TableCapability] =
    JavaSet.of(TableCapability.STREAMING_WRITE, TableCapability.ACCEPT_ANY_SCHEMA)

  def newWriteBuilder(info: LogicalWriteInfo): WriteBuilder = new WriteBuilder {
    override def build(): Write = new Write {
      override def toStreaming: StreamingWrite =
        new WarehouseStream(warehouse, warehouse.openStream(toAttributes(info.schema), info.queryId, length))
    }
  }
}

/** Writes each batch of a stream to the warehouse. Spark creates a task factory once per batch, and repeats the number of a batch that
  * failed.
  */
private final class WarehouseStream(warehouse: Warehouse, stream: LiveStream) extends StreamingWrite {

  // the batch that tasks are writing; None once its commit begins, because then an abort must not delete its files
  private var batch = Option.empty[StartedBatch]

  def createStreamingWriterFactory(info: PhysicalWriteInfo): StreamingDataWriterFactory = {
    requireMicroBatches()
    val begun = stream.begin()
    batch = Some(begun)
    new StreamTasks(begun.files, stream.columns)
  }

  def commit(number: Long, messages: Array[WriterCommitMessage]): Unit =
    warehouse.withErrorContext(WarehouseSink.Function) {
      val written = batch.get
      batch = None
      stream.commit(written, number, messages.toSeq.collect { case TaskPart(part) => part })
    }

  def abort(number: Long, messages: Array[WriterCommitMessage]): Unit = {
    batch.foreach(stream.drop)
    batch = None
  }

  /** Refuses continuous queries: they create a task factory only once, and end no batch whose number they would repeat. Spark marks their
    * jobs with a local property.
    */
  private def requireMicroBatches(): Unit =
    if (SparkSession.active.sparkContext.getLocalProperty("__is_continuous_processing") == "true")
      throw Conditions.analysisError(
        "CHRONOSKETCH_WAREHOUSE_ARGUMENT",
        CurrentOrigin.get,
        "function" -> WarehouseSink.Function,
        "argument" -> "trigger",
        "required" -> "a trigger that makes batches, such as processingTime or availableNow",
        "sql" -> "continuous"
      )
}

private final case class TaskPart(part: LivePart) extends WriterCommitMessage

private final class StreamTasks(files: LiveFiles, columns: Seq[Expression])
    extends StreamingDataWriterFactory {
  def createWriter(partition: Int, task: Long, batch: Long): DataWriter[InternalRow] =
    new StreamTask(files.open(partition), UnsafeProjection.create(columns))
}

private final class StreamTask(file: LiveFileWriter, columns: UnsafeProjection)
    extends DataWriter[InternalRow] {
  def write(row: InternalRow): Unit = file.write(columns(row))
  def commit(): WriterCommitMessage = TaskPart(file.finish())
  def abort(): Unit = file.close()
  def close(): Unit = file.close()
}
