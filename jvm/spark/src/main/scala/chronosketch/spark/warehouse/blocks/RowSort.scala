package chronosketch.spark.warehouse.blocks

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, classic}
import org.apache.spark.storage.StorageLevel
import org.apache.spark.{HashPartitioner, TaskContext}

import chronosketch.spark.rows.KeyOf
import chronosketch.spark.sql.SparkPrivates

/** Sorts the rows of any source by group and value.
  *
  * Cost    the source is read once: its groups and keys are stored on the tasks' disks, a sample of them decides where parts end, and each
  *         part is shuffled to the task that sorts it
  * Memory  some megabytes per task, and that of [[BlockSort]]; in the driver a sample of about a million rows
  *
  * @param rows     have the columns of `by` and then the value, which may be NULL
  * @param mostRows the maximal number of rows in a part, as far as the sample tells
  */
private[warehouse] final class RowSort(rows: DataFrame, mostRows: Long = PartCount.MostRows)
    extends SortedRows {
  val schema: StructType = rows.schema
  private val by = StructType(schema.init)
  private val session = rows.asInstanceOf[classic.DataFrame].sparkSession
  private val context = session.sparkContext

  def each[A: ClassTag](make: (TaskContext, Iterator[KeyBlock]) => A): Sorted[A] = {
    val blocks = collected.persist(StorageLevel.DISK_ONLY)
    try {
      val samples = sampled(blocks)
      val count = PartCount.of(samples.map(_.rows).sum, context.defaultParallelism, mostRows)
      val groups = by
      val results = context.runJob(
        placed(blocks, count, samples),
        (task: TaskContext, packed: Iterator[Array[Byte]]) => {
          val sort = new BlockSort(task, groups)
          packed.foreach(sort.add)
          make(task, sort.sorted())
        }
      )
      Sorted(results.toSeq, samples.map(_.nulls).sum)
    } finally { blocks.unpersist(); () }
  }

  private def collected: RDD[Array[Byte]] = {
    val plan = rows.queryExecution.analyzed
    val keyed = Project(plan.output.init :+ Alias(KeyOf(plan.output.last), "key")(), plan)
    val groups = by
    SparkPrivates.frame(session, keyed).queryExecution.toRdd.mapPartitions(new Collecting(_, groups))
  }

  private def sampled(blocks: RDD[Array[Byte]]): Array[Collected] = {
    val columns = by.length
    val most = math.max(
      RowSort.FewestSampled,
      math.min(RowSort.MostSampled, RowSort.SampledRows / math.max(1, blocks.getNumPartitions))
    )
    context.runJob(
      blocks,
      (task: TaskContext, packed: Iterator[Array[Byte]]) => {
        val sample = new RowSample(columns, most, task.partitionId().toLong)
        packed.foreach(sample.add)
        sample.result
      }
    )
  }

  private def placed(
      blocks: RDD[Array[Byte]],
      parts: Int,
      samples: Array[Collected]
  ): RDD[Array[Byte]] =
    if (parts == 1) blocks.coalesce(parts)
    else {
      val groups = by
      val cuts = context.broadcast(Cuts.of(samples.flatMap(_.sample), parts, groups))
      blocks.mapPartitions { packed =>
        val placing = new Placing(cuts.value, groups)
        packed.flatMap(placing.place)
      }.partitionBy(new HashPartitioner(parts)).values
    }
}

private object RowSort {

  val SampledRows: Int = 1 << 20
  val MostSampled = 2048
  val FewestSampled = 32
}
