package chronosketch.spark.warehouse.runs

import scala.reflect.ClassTag

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.Project
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, classic}
import org.apache.spark.storage.StorageLevel
import org.apache.spark.{HashPartitioner, TaskContext}

import chronosketch.spark.rows.KeyOf
import chronosketch.spark.sql.{SparkPrivates, Uninterrupted}

/** The results of all parts in order, and the number of rows that were left out because their value is NULL. */
private[warehouse] final case class SortedParts[A](parts: Seq[A], nulls: Long)

/** A source of rows sorted by group and value. */
private[warehouse] trait SortedRows {

  /** The columns of `by` and then the value. */
  def schema: StructType

  /** Applies a function to each part, in a task of its own. */
  def mapParts[A: ClassTag](make: (TaskContext, Iterator[KeyBlock]) => A): SortedParts[A]
}

/** Sorts the rows of any source by group and value.
  *
  * Cost    the source is read once: its groups and keys are stored on the tasks' disks, a sample of them decides where parts end, and each
  *         part is shuffled to the task that sorts it
  * Memory  some megabytes per task, and that of [[PartSort]]; in the driver a sample of about a million rows
  *
  * @param rows     have the columns of `by` and then the value, which may be NULL
  * @param maxRows  the maximal number of rows in a part, as far as the sample tells
  */
private[warehouse] final class RowSort(rows: DataFrame, maxRows: Long = PartCount.MaxRows)
    extends SortedRows {
  val schema: StructType = rows.schema
  private val by = StructType(schema.init)
  private val session = rows.asInstanceOf[classic.DataFrame].sparkSession
  private val context = session.sparkContext

  def mapParts[A: ClassTag](make: (TaskContext, Iterator[KeyBlock]) => A): SortedParts[A] = {
    val blocks = packedKeys.persist(StorageLevel.DISK_ONLY)
    try {
      val samples = sample(blocks)
      val count = PartCount.of(samples.map(_.rows).sum, context.defaultParallelism, maxRows)
      val groups = by
      val results = context.runJob(
        distribute(blocks, count, samples),
        (task: TaskContext, packed: Iterator[Array[Byte]]) => {
          val sort = new PartSort(task, groups)
          packed.foreach(sort.add)
          make(task, sort.sorted())
        }
      )
      SortedParts(results.toSeq, samples.map(_.nulls).sum)
    } finally Uninterrupted.run { blocks.unpersist(); () }
  }

  private def packedKeys: RDD[Array[Byte]] = {
    val plan = rows.queryExecution.analyzed
    val keyed = Project(plan.output.init :+ Alias(KeyOf(plan.output.last), "key")(), plan)
    val groups = by
    SparkPrivates.frame(session, keyed).queryExecution.toRdd.mapPartitions(new KeyPacker(_, groups))
  }

  private def sample(blocks: RDD[Array[Byte]]): Array[PartitionSample] = {
    val columns = by.length
    val most = math.max(
      RowSort.MinSampled,
      math.min(RowSort.MaxSampled, RowSort.SampledInAll / math.max(1, blocks.getNumPartitions))
    )
    context.runJob(
      blocks,
      (task: TaskContext, packed: Iterator[Array[Byte]]) => {
        val sampler = new RowSampler(columns, most, task.partitionId().toLong)
        packed.foreach(sampler.add)
        sampler.result
      }
    )
  }

  private def distribute(
      blocks: RDD[Array[Byte]],
      parts: Int,
      samples: Array[PartitionSample]
  ): RDD[Array[Byte]] =
    if (parts == 1) blocks.coalesce(parts)
    else {
      val groups = by
      val cuts = context.broadcast(PartCuts.choose(samples.flatMap(_.sample), parts, groups))
      blocks.mapPartitions { packed =>
        val distributor = new PartDistributor(cuts.value, groups)
        packed.flatMap(distributor.distribute)
      }.partitionBy(new HashPartitioner(parts)).values
    }
}

private object RowSort {

  /** The approximate number of rows that all tasks sample together, and the bounds for one task. */
  val SampledInAll: Int = 1 << 20
  val MaxSampled = 2048
  val MinSampled = 32
}
