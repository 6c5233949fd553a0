package chronosketch.spark.warehouse.live

import scala.collection.mutable

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.{DataFrame, SparkSession, classic}

import chronosketch.families.Families
import chronosketch.memory.Meter
import chronosketch.quantile.GreenwaldKhanna
import chronosketch.spark.memory.AggregateMemory
import chronosketch.spark.sql.SparkPrivates
import chronosketch.spark.warehouse.manifest._
import chronosketch.spark.warehouse.runs._
import chronosketch.summary.{Envelope, Summary}

/** Writes rows as a live batch: in the order of arrival, with a sketch of every group.
  *
  * Guarantee  no manifest names a live batch before it is complete, and it never changes; its sketches keep to the limit of the definition
  * Cost       one pass; the driver holds the sketches of all groups
  */
private[warehouse] final class LiveWriter(session: SparkSession, folders: EntryFolders) {

  /** Creates the files that tasks write to, in a folder of their own. `schema` has the columns of `by` and then the value; `batches` is the
    * number of live batches that there will be.
    */
  def createFiles(id: String, schema: StructType, definition: Definition, batches: Int): LiveFiles = {
    val stored = schema.copy(schema.fields.init :+ schema.fields.last.copy(nullable = false))
    LiveFiles(folders.folder(id).toString, RowFiles(session, stored), definition.limits.live(batches))
  }

  /** Writes the summaries of what tasks have written, and returns its manifest entry. */
  def complete(id: String, level: Int, files: LiveFiles, parts: Seq[LivePart]): LiveBatch = {
    val groups = parts.flatMap(_.groups)
    val summaries = SketchCoarsening.coarsenGroups(files.limit, mergeGroups(groups))
    LiveBatch(
      id,
      level,
      parts.map(_.nulls).sum,
      Option.when(groups.nonEmpty)((groups.map(_.least).min, groups.map(_.greatest).max)),
      parts.flatMap(_.file),
      Option.when(groups.nonEmpty)(
        new EntrySummaries(session, folders).write(id, files.rowFiles.schema, summaries)
      )
    )
  }

  /** Rewrites stored rows as one live batch, except those of `without`. */
  def rewrite(
      rows: DataFrame,
      definition: Definition,
      level: Int,
      batches: Int,
      without: Set[UnsafeRow] = Set.empty
  ): LiveBatch = {
    val id = State.newId()
    val files = createFiles(id, rows.schema, definition, batches)
    val by = StructType(rows.schema.init)
    val parts = session.sparkContext.runJob(
      rows.asInstanceOf[classic.DataFrame].queryExecution.toRdd,
      (task: TaskContext, rows: Iterator[InternalRow]) => {
        lazy val groupOf = Groups.projection(by)
        val retained = if (without.isEmpty) rows else rows.filterNot(row => without(groupOf(row)))
        LiveWriter.writeAll(files.open(task.partitionId()), retained)
      }
    )
    complete(id, level, files, parts.toSeq)
  }

  /** Merges the groups of all tasks. */
  private def mergeGroups(all: Seq[LiveGroup]): Seq[GroupSummary] = {
    val byGroup = mutable.LinkedHashMap.empty[UnsafeRow, mutable.ArrayBuffer[LiveGroup]]
    all.foreach(g => byGroup.getOrElseUpdate(g.by, mutable.ArrayBuffer.empty) += g)
    var before = 0L
    byGroup.iterator.map { case (by, groups) =>
      val rows = groups.map(_.rows).sum
      val summary = GroupSummary(by, before, rows, mergeSketches(groups.toSeq.map(_.sketch)))
      before += rows
      summary
    }.toSeq
  }

  private def mergeSketches(sketches: Seq[Array[Byte]]): Array[Byte] =
    if (sketches.size == 1) sketches.head
    else {
      val opened: Seq[Summary] = sketches.map(Families.open)
      opened.tail.foreach(opened.head.merge)
      Envelope.seal(opened.head)
    }
}

private[live] object LiveWriter {
  private def writeAll(file: LiveFileWriter, rows: Iterator[InternalRow]): LivePart =
    try {
      rows.foreach(file.write)
      file.finish()
    } finally file.close()
}

/** A group as a task returns it: its number of rows, its least and greatest key, and the sketch of its values. */
private[live] final case class LiveGroup(
    by: UnsafeRow,
    rows: Long,
    least: Long,
    greatest: Long,
    sketch: Array[Byte]
)

/** The output of a task: its file, absent if no row had a value, and its groups. */
private[warehouse] final case class LivePart(
    file: Option[EntryFile],
    nulls: Long,
    private[live] val groups: Array[LiveGroup]
) {
  def hasRows: Boolean = file.nonEmpty || nulls > 0
}

/** Opens the files of a live batch. Tasks write rows to them in the order of arrival. */
private[warehouse] final case class LiveFiles(folder: String, rowFiles: RowFiles, limit: EntryLimit)
    extends Serializable {

  /** The writer of a task. Its file is created with the first row. */
  def open(task: Int): LiveFileWriter = new LiveFileWriter(this, task)
}

/** Writes the rows of one task to a file and sketches the values of each group on the way.
  *
  * Memory  the sketches of all groups of the task until it ends, requested from Spark. They are kept even if Spark refuses, because
  *         nothing of them can be freed
  */
private[warehouse] final class LiveFileWriter private[live] (files: LiveFiles, task: Int) {
  private val keys = new GroupKeyExtractor(files.rowFiles.schema)
  private val domain = Definition.domain(files.rowFiles.schema.last.dataType)
  private val groups = mutable.LinkedHashMap.empty[UnsafeRow, GroupSketch]
  private var file: RowFileWriter = null
  private var isClosed = false
  private var nulls = 0L
  private val meter = new Meter
  private val memory = new AggregateMemory(SparkPrivates.memoryOf(TaskContext.get()), meter)
  TaskContext.get().addTaskCompletionListener[Unit](_ => memory.release())
  private val epsilon = files.limit match {
    case MaxError(epsilon) => epsilon
    case MaxBytes(bytes) => SketchFitting.leastEpsilon(bytes)
  }

  // the group of the last row: rows of a group often follow each other
  private var last: GroupSketch = null

  /** Writes a row of the columns of `by` and then the value. A row whose value is NULL is only counted. */
  def write(row: InternalRow): Unit =
    if (keys.hasValue(row)) {
      if (file == null) file = new RowFileWriter(files.folder, files.rowFiles, task)
      file.write(row)
      groupOf(keys.group(row)).sketch.insert(keys.key(row))
      memory.request()
      ()
    } else nulls += 1

  private def groupOf(group: UnsafeRow): GroupSketch = {
    if (last == null || group != last.by) {
      last = groups.getOrElse(group, null)
      if (last == null) {
        last = new GroupSketch(group.copy(), new GreenwaldKhanna(domain, epsilon))
        last.sketch.meteredBy(meter)
        meter.add(Meter.ObjectBytes + last.by.getSizeInBytes)
        groups(last.by) = last
      }
    }
    last
  }

  /** Closes the file and returns what was written. */
  def finish(): LivePart = {
    close()
    LivePart(
      Option(file).map(_.result),
      nulls,
      SketchCoarsening.coarsenToFit[LiveGroup](
        files.limit,
        groups.valuesIterator.map(_.summary).toSeq,
        _.sketch
      )((group, sketch) => group.copy(sketch = sketch)).toArray
    )
  }

  def close(): Unit = if (file != null && !isClosed) {
    isClosed = true
    file.close()
  }
}

/** A group and the sketch of its values so far. */
private final class GroupSketch(val by: UnsafeRow, val sketch: GreenwaldKhanna) {
  def summary: LiveGroup = {
    val seen = sketch.profile
    LiveGroup(by, sketch.count, seen.minimum, seen.maximum, Envelope.seal(sketch))
  }
}
