package chronosketch.spark.warehouse

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnsafeProjection}
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.{DataFrame, SparkSession, classic}

import chronosketch.spark.warehouse.live.{LiveFiles, LivePart, StepLength}

/** Writes given batches with given numbers to a warehouse, as a stream would. */
final class ManualStream(
    spark: SparkSession,
    warehouse: Warehouse,
    like: DataFrame,
    query: String = "query",
    stepMillis: Option[Long] = None
) {
  private val stream = warehouse.openStream(toAttributes(like.schema), query, stepMillis.map(StepLength(_)))

  def take(number: Long, rows: DataFrame): Unit = {
    val batch = stream.begin()
    val task = ManualStream.task(batch.files, stream.columns)
    val parts = spark.sparkContext.runJob(rows.asInstanceOf[classic.DataFrame].queryExecution.toRdd, task)
    stream.commit(batch, number, parts.toSeq)
  }
}

object ManualStream {
  private def task(
      files: LiveFiles,
      columns: Seq[Expression]
  ): (TaskContext, Iterator[InternalRow]) => LivePart = (task, rows) => {
    val file = files.open(task.partitionId())
    val project = UnsafeProjection.create(columns)
    rows.foreach(row => file.write(project(row)))
    file.finish()
  }
}
