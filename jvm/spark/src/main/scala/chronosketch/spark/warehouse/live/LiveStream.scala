package chronosketch.spark.warehouse.live

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Attribute, BindReferences, Expression}
import org.apache.spark.sql.types.{StructField, StructType}

import chronosketch.spark.warehouse.manifest._
import chronosketch.spark.warehouse.runs.{ColumnTypes, RunFolders}

/** Writes the batches of a stream to a warehouse, each once.
  *
  * @param begun  the definition of the warehouse when the stream began
  * @param query  the id of the query, which its checkpoint keeps
  * @param input  the columns of the stream's rows
  * @param length the length of a step; empty if steps are ended by hand
  */
private[warehouse] final class LiveStream(
    session: SparkSession,
    store: RunStore,
    folders: RunFolders,
    clock: () => Long,
    begun: Definition,
    query: String,
    input: Seq[Attribute],
    length: Option[StepLength]
) {
  private val writer = new LiveWriter(session, folders)
  private val batches = new LiveBatches(store, folders, new LiveShares(session, folders))
  private val upkeep = new Upkeep(session, store, folders, clock)
  private val (definition, selected) = ColumnTypes.of(begun, input)
  private val types = selected.map(_.dataType)
  private val schema = StructType(selected.map(c => StructField(c.name, c.dataType, c.nullable)))

  /** The columns of `by` and then the value, as expressions over a row of the stream. */
  val columns: Seq[Expression] = selected.map(c => BindReferences.bindReference(c.children.head, input))

  /** Begins a batch, with a folder for its files. */
  def begin(): LiveBatch = {
    val id = State.newId()
    new LiveBatch(id, writer.files(id, schema, definition, liveBatches + 1))
  }

  /** The number of live batches, which only a memory limit needs. */
  private def liveBatches: Int = definition.limits match {
    case _: ErrorLimits => 0
    case _: MemoryLimits => store.current().fold(0)(_.live.size)
  }

  /** Commits what tasks have written as the batch of this number. First ends the open step if its time is over. */
  def commit(batch: LiveBatch, number: Long, parts: Seq[LivePart]): Unit = {
    upkeep.endStepIfOver()
    if (parts.exists(_.hasRows)) {
      val live = writer.line(batch.id, level = 0, batch.files, parts)
      batches.take(begun.id, live, Streamed(query, number), length.map(_.end(clock())), _.typed(types))
    }
    upkeep.merge()
    ()
  }

  /** Deletes what tasks have written. */
  def drop(batch: LiveBatch): Unit = folders.delete(batch.id)
}

/** A batch that tasks are writing. */
private[warehouse] final class LiveBatch(private[live] val id: String, val files: LiveFiles)
