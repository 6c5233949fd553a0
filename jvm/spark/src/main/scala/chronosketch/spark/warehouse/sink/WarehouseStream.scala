package chronosketch.spark.warehouse.sink

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection}
import org.apache.spark.sql.catalyst.trees.Origin
import org.apache.spark.sql.connector.write.streaming.{StreamingDataWriterFactory, StreamingWrite}
import org.apache.spark.sql.connector.write.{DataWriter, PhysicalWriteInfo, WriterCommitMessage}

import chronosketch.spark.sql.Conditions
import chronosketch.spark.warehouse.Warehouse
import chronosketch.spark.warehouse.live.{LiveBatch, LiveFile, LiveFiles, LivePart, LiveStream}

/** Writes each batch of a stream to the warehouse. Spark creates a task factory once per batch, and repeats the number of a batch that
  * failed.
  */
private[sink] final class WarehouseStream(warehouse: Warehouse, stream: LiveStream) extends StreamingWrite {

  // the batch that tasks are writing; None once its commit begins, because then an abort must not delete its files
  private var batch = Option.empty[LiveBatch]

  def createStreamingWriterFactory(info: PhysicalWriteInfo): StreamingDataWriterFactory = {
    requireBatches()
    val begun = stream.begin()
    batch = Some(begun)
    new StreamTasks(begun.files, stream.columns)
  }

  def commit(number: Long, messages: Array[WriterCommitMessage]): Unit =
    warehouse.asked(WarehouseSink.Function) {
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
  private def requireBatches(): Unit =
    if (SparkSession.active.sparkContext.getLocalProperty("__is_continuous_processing") == "true")
      throw Conditions.analysisError(
        "CHRONOSKETCH_WAREHOUSE_ARGUMENT",
        Origin(),
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

private final class StreamTask(file: LiveFile, columns: UnsafeProjection) extends DataWriter[InternalRow] {
  def write(row: InternalRow): Unit = file.write(columns(row))
  def commit(): WriterCommitMessage = TaskPart(file.part())
  def abort(): Unit = file.close()
  def close(): Unit = file.close()
}
