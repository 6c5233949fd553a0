package chronosketch.spark.warehouse.live

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Attribute, BindReferences, Expression}
import org.apache.spark.sql.types.{StructField, StructType}

import chronosketch.spark.warehouse.manifest._
import chronosketch.spark.warehouse.runs.{ColumnTypes, EntryCommits, EntryFolders}
import chronosketch.warehouse.DamagedWarehouse

/** Adds the batches of a stream to the open step of a warehouse, each in one commit.
  *
  * Guarantee  a batch is added once, whatever fails in between; a batch with a lower number than the last is refused
  *
  * @param begun  the definition of the warehouse when the stream began
  * @param query  the id of the query, which its checkpoint keeps
  * @param input  the columns of the stream's rows
  * @param length the length of a step; empty if steps are ended by hand
  */
private[warehouse] final class LiveStream(
    session: SparkSession,
    store: ManifestStore,
    folders: EntryFolders,
    clock: () => Long,
    begun: Definition,
    query: String,
    input: Seq[Attribute],
    length: Option[StepLength]
) {
  private val writer = new LiveWriter(session, folders)
  private val memory = new LiveMemory(session, folders)
  private val commits = new EntryCommits(store, folders)
  private val upkeep = new Upkeep(session, store, folders, clock)
  private val (definition, selected) = ColumnTypes.selectAttributes(begun, input)
  private val types = selected.map(_.dataType)
  private val schema = StructType(selected.map(c => StructField(c.name, c.dataType, c.nullable)))

  /** The columns of `by` and then the value, as expressions over a row of the stream. */
  val columns: Seq[Expression] = selected.map(c => BindReferences.bindReference(c.children.head, input))

  /** Begins a batch, with a folder for its files. */
  def begin(): StartedBatch = {
    val id = State.newId()
    new StartedBatch(id, writer.createFiles(id, schema, definition, liveBatches + 1))
  }

  /** The number of live batches, which only a memory limit needs. */
  private def liveBatches: Int = definition.limits match {
    case _: ErrorLimits => 0
    case _: MemoryLimits => store.current().fold(0)(_.live.size)
  }

  /** Commits what tasks have written as the batch of this number, unless it repeats the last one. First ends the open step if its time is
    * over.
    */
  def commit(batch: StartedBatch, number: Long, parts: Seq[LivePart]): Unit = {
    upkeep.endStepIfOver()
    if (parts.exists(_.hasRows)) {
      val live = writer.complete(batch.id, level = 0, batch.files, parts)
      val until = length.map(_.endAfter(clock()))
      commits.add(live)(addTo(_, live, StreamBatch(query, number), until))
    }
    upkeep.merge()
    ()
  }

  private def addTo(
      state: State,
      live: LiveBatch,
      batch: StreamBatch,
      until: Option[Long]
  ): Option[State] = {
    if (state.definition.id != begun.id)
      throw DamagedWarehouse("it is not the warehouse that the stream began with")
    Option.unless(state.isRepeat(batch)) {
      memory.withinMemory(state.addLive(live, batch, until, state.definition.withTypes(types)))
    }
  }

  /** Deletes what tasks have written. */
  def drop(batch: StartedBatch): Unit = folders.delete(batch.id)
}

/** A batch that tasks are writing. */
private[warehouse] final class StartedBatch(private[live] val id: String, val files: LiveFiles)

/** The length of a stream's steps. Steps end at whole multiples of it since 1970, in UTC, like Spark's own windows. */
private[warehouse] final case class StepLength(millis: Long) {

  /** The end of the step that contains a time. */
  def endAfter(now: Long): Long = (Math.floorDiv(now, millis) + 1) * millis
}
