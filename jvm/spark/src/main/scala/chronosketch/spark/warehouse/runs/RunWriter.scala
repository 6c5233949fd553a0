package chronosketch.spark.warehouse.runs

import scala.collection.mutable
import scala.util.control.NonFatal

import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{JoinedRow, SpecificInternalRow, UnsafeRow}
import org.apache.spark.sql.types._

import chronosketch.domain.DoubleKeys
import chronosketch.memory.Meter
import chronosketch.spark.memory.AggregateMemory
import chronosketch.spark.sql.SparkPrivates
import chronosketch.spark.warehouse.manifest.{
  Definition,
  EntryFile,
  EntryLimit,
  MaxBytes,
  MaxError,
  Run,
  State
}
import chronosketch.warehouse.RunSamples

/** Writes rows as a run: sorted by group and value, in files of their own folder, with the summary of every group.
  *
  * Guarantee  no manifest names a run before it is complete, and it never changes
  * Cost       one pass over the sorted rows
  */
private[warehouse] final class RunWriter(session: SparkSession, folders: EntryFolders) {

  /** Writes rows of the steps from `firstStep` to `lastStep` as one run; `steps` is the number of these steps. */
  def write(
      rows: SortedRows,
      limit: EntryLimit,
      level: Int,
      firstStep: Long,
      lastStep: Long,
      steps: Long
  ): Run = {
    val id = State.newId()
    val schema = rows.schema.copy(rows.schema.fields.init :+ rows.schema.fields.last.copy(nullable = false))
    val writer = new PartWriter(folders.folder(id).toString, RowFiles(session, schema), limit)
    val sorted =
      try rows.mapParts(writer.write)
      catch {
        // no manifest names the folder yet
        case e: Throwable =>
          try folders.delete(id)
          catch { case NonFatal(other) => e.addSuppressed(other) }
          throw e
      }
    val parts = sorted.parts.flatten
    val groups = GroupSummary.fromParts(parts, schema, limit)
    Run(
      id,
      level,
      firstStep,
      lastStep,
      steps,
      sorted.nulls,
      Option.when(groups.nonEmpty)((
        parts.flatMap(_.groups.map(_.least)).min,
        parts.flatMap(_.groups.map(_.greatest)).max
      )),
      parts.map(_.file),
      Option.when(groups.nonEmpty)(new EntrySummaries(session, folders).write(id, schema, groups))
    )
  }
}

/** One group in a part: its samples, and its least and greatest key. */
private[runs] final case class SampledGroup(by: UnsafeRow, samples: RunSamples, least: Long, greatest: Long) {

  /** The memory of the group in the task that has written it. */
  def sizeBytes: Long = Meter.ObjectBytes + by.getSizeInBytes + samples.sizeBytes
}

/** The output of a task: its file, and its groups in the order of their rows. */
private[runs] final case class WrittenPart(file: EntryFile, groups: Array[SampledGroup])

/** Writes sorted rows into a file and samples them on the way. A task that fails deletes its file.
  *
  * Memory  the samples of all groups, requested from Spark. They are kept even if Spark refuses, because nothing of them can be freed
  */
private[runs] final class PartWriter(folder: String, files: RowFiles, limit: EntryLimit)
    extends Serializable {

  /** Writes the rows of a task; returns None if it has none. */
  def write(task: TaskContext, rows: Iterator[KeyBlock]): Option[WrittenPart] =
    if (rows.isEmpty) None else Some(new TaskWriter(task).write(rows))

  private final class TaskWriter(task: TaskContext) {
    private val value = new ValueRow(files.schema.last.dataType)
    private val row = new JoinedRow
    private val groups = mutable.ArrayBuffer.empty[SampledGroup]
    private val sampleLimit = SampleLimit.of(limit, task.numPartitions())
    private var by: UnsafeRow = null
    private var samples: RunSamples = null
    private var least, greatest = 0L

    // the samples of finished groups, and those of the current one when memory was last requested
    private val meter = new Meter
    private var current = 0L
    private val memory = new AggregateMemory(SparkPrivates.memoryOf(task), meter)
    task.addTaskCompletionListener[Unit](_ => memory.release())

    def write(rows: Iterator[KeyBlock]): WrittenPart = {
      val file = new RowFileWriter(folder, files, task.partitionId())
      var isWritten = false
      try {
        rows.foreach { block =>
          addSamples(block)
          row(block.by, value.row)
          var i = 0
          while (i < block.count) {
            // a block has all rows of a group that was sorted in memory
            SparkPrivates.endIfKilled(task, i.toLong)
            value.set(block.keys(i))
            file.write(row)
            i += 1
          }
        }
        isWritten = true
      } finally if (isWritten) file.close() else file.discard()
      finishGroup()
      WrittenPart(file.result, groups.toArray)
    }

    private def addSamples(block: KeyBlock): Unit = {
      val keys = block.keys
      if (by == null || block.by != by) {
        finishGroup()
        by = block.by.copy()
        samples = sampleLimit.newSamples()
        least = keys(0)
      }
      var i = 0
      while (i < block.count) {
        SparkPrivates.endIfKilled(task, i.toLong)
        samples.add(keys(i))
        i += 1
      }
      greatest = keys(block.count - 1)
      meter.add(samples.sizeBytes - current)
      current = samples.sizeBytes
      memory.request()
      ()
    }

    private def finishGroup(): Unit = if (by != null) {
      samples.trim()
      val group = SampledGroup(by, samples, least, greatest)
      groups += group
      meter.add(group.sizeBytes - current)
      current = 0L
      if (sampleLimit.enforce(samples, groups)) meter.add(groups.iterator.map(_.sizeBytes).sum - meter.bytes)
    }
  }
}

/** Limits how many samples a task holds for all its groups. */
private[runs] sealed trait SampleLimit {

  /** Begins the samples of the next group. */
  def newSamples(): RunSamples

  /** Registers a finished group (`finished`), and thins the samples of all groups if they exceed the limit. Returns whether it did. */
  def enforce(finished: RunSamples, groups: collection.Seq[SampledGroup]): Boolean
}

private[runs] object SampleLimit {

  /** The limit of one of `tasks` tasks, which share that of a run. */
  def of(limit: EntryLimit, tasks: Int): SampleLimit = limit match {
    case MaxError(epsilon) => new PerGroup(epsilon)
    case MaxBytes(bytes) =>
      new AcrossGroups(math.max(MinSamples, bytes / TupleBytes * SamplesPerTuple / tasks))
  }

  /** The approximate bytes of a stored tuple. */
  private val TupleBytes: Long = 10

  /** The number of samples held per stored tuple. More samples let the tuples be spread more evenly. */
  private val SamplesPerTuple: Long = 4

  private val MinSamples: Long = 1000

  private final class PerGroup(epsilon: Double) extends SampleLimit {
    def newSamples(): RunSamples = new RunSamples(epsilon)
    def enforce(finished: RunSamples, groups: collection.Seq[SampledGroup]): Boolean = false
  }

  /** Gives all groups the same limit, and halves it whenever all groups together hold too many samples. */
  private final class AcrossGroups(most: Long) extends SampleLimit {
    private var samplesPerGroup = math.min(most, Int.MaxValue.toLong / 2).toInt
    private var held = 0L

    def newSamples(): RunSamples = {
      val samples = new RunSamples(0)
      samples.holdAtMost(samplesPerGroup)
      samples
    }

    def enforce(finished: RunSamples, groups: collection.Seq[SampledGroup]): Boolean = {
      held += finished.held
      val isThinned = held > most && samplesPerGroup > 2
      while (held > most && samplesPerGroup > 2) {
        samplesPerGroup /= 2
        groups.foreach(_.samples.holdAtMost(samplesPerGroup))
        held = groups.iterator.map(_.samples.held.toLong).sum
      }
      isThinned
    }
  }
}

/** A row with one column, which is set to the value of a key. */
private[runs] final class ValueRow(valueType: DataType) {
  private val values = Definition.values(valueType)
  private val mutable = new SpecificInternalRow(Seq(valueType))

  def row: InternalRow = mutable

  def set(key: Long): Unit = valueType match {
    case DoubleType => mutable.setDouble(0, DoubleKeys.value(key))
    case LongType | TimestampType | TimestampNTZType => mutable.setLong(0, key)
    case _ => mutable.update(0, values.value(key))
  }
}
