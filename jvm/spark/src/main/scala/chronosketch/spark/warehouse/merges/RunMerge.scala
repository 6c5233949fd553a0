package chronosketch.spark.warehouse.merges

import scala.reflect.ClassTag

import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.types.StructType

import chronosketch.spark.warehouse.blocks._
import chronosketch.spark.warehouse.manifest.{Definition, Run}
import chronosketch.spark.warehouse.runs.{KeyReader, LineSummaries, RunFolders}

/** Merges sorted runs while they are read. Each task merges one part of the groups and keys.
  *
  * Cost    the value column is read once, and what summaries leave in doubt at the ends of parts twice
  * Memory  half a megabyte per run in each task; the summaries of all groups in the driver
  */
private[warehouse] final class RunMerge(
    session: SparkSession,
    folders: RunFolders,
    definition: Definition,
    inputs: IndexedSeq[Run],
    mostRows: Long = PartCount.MostMerged
) extends SortedRows {
  val schema: StructType = definition.schema(definition.types.get)

  def each[A: ClassTag](make: (TaskContext, Iterator[KeyBlock]) => A): Sorted[A] = {
    val by = definition.bySchema(definition.types.get)
    val summaries = new LineSummaries(session, folders).of(inputs, by)
    val rows = inputs.map(_.rows).sum
    val count = PartCount.of(rows, session.sparkContext.defaultParallelism, mostRows)
    val most = (rows + count - 1) / count
    val parts = MergeCuts.of(inputs.map(run => summaries.getOrElse(run.id, Nil)), GroupOrder.of(by), most)
    val nulls = inputs.map(_.nulls).sum
    if (parts.isEmpty) Sorted(Nil, nulls)
    else {
      val (shared, columns, runs) = (folders.shared(session), schema, inputs)
      val results = session.sparkContext.runJob(
        session.sparkContext.parallelize(parts, parts.size),
        (task: TaskContext, part: Iterator[MergePart]) => {
          val reader = new KeyReader(shared.here, columns, KeyReader.FewPages)
          task.addTaskCompletionListener[Unit](_ => reader.close())
          val ranges = part.next().ranges
          val rows = runs.indices.map(i => new RunRows(runs(i), ranges(i).iterator, reader))
          make(task, new BlockMerge(rows, by))
        }
      )
      Sorted(results.toSeq, nulls)
    }
  }
}
