package chronosketch.spark.warehouse.live

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Attribute, BindReferences, Expression}
import org.apache.spark.sql.types.{StructField, StructType}

import chronosketch.spark.warehouse.manifest._
import chronosketch.spark.warehouse.runs.{ColumnTypes, RunFolders}

/** A stream whose batches a warehouse takes, each once.
  *
  * @param begun  what the warehouse was when the stream began
  * @param query  the id of the query, which its checkpoint keeps
  * @param input  the columns of its rows
  * @param length how long a step is; none where steps are ended by hand
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
  private val (defined, taken) = ColumnTypes.of(begun, input)
  private val types = taken.map(_.dataType)
  private val schema = StructType(taken.map(c => StructField(c.name, c.dataType, c.nullable)))

  /** Of a row of the stream the columns of `by` and then the value. */
  val columns: Seq[Expression] = taken.map(c => BindReferences.bindReference(c.children.head, input))

  /** A folder for the files of a batch. */
  def begin(): LiveBatch = {
    val id = State.newId()
    new LiveBatch(id, writer.files(id, schema, defined, liveBatches + 1))
  }

  /** Looked up only where it counts. */
  private def liveBatches: Int = defined.limits match {
    case _: ErrorLimits => 0
    case _: MemoryLimits => store.current().fold(0)(_.live.size)
  }

  /** Takes what tasks have written as the batch of this number. Before that a step is ended whose time is over. */
  def commit(batch: LiveBatch, number: Long, parts: Seq[LivePart]): Unit = {
    upkeep.endStepIfOver()
    if (parts.exists(_.hasRows)) {
      val live = writer.line(batch.id, level = 0, batch.files, parts)
      batches.take(begun.id, live, Streamed(query, number), length.map(_.end(clock())), _.typed(types))
    }
    upkeep.merge()
    ()
  }

  /** Forgets what tasks have written. */
  def drop(batch: LiveBatch): Unit = folders.delete(batch.id)
}

/** A batch that is being written. */
private[warehouse] final class LiveBatch(private[live] val id: String, val files: LiveFiles)
