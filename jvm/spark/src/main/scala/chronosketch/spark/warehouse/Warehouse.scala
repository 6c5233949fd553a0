package chronosketch.spark.warehouse

import org.apache.hadoop.fs.Path
import org.apache.spark.SparkException
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.{DataFrame, SparkSession, classic}

import chronosketch.Refusal
import chronosketch.quantile.QuantileSketch
import chronosketch.rank.Phi
import chronosketch.spark.sql.{Conditions, SparkPrivates}
import chronosketch.spark.warehouse.answers.{GroupAnswers, QuantileAnswers, WarehouseAnswer, WarehouseQuery}
import chronosketch.spark.warehouse.live.{LiveStream, StepLength, Upkeep}
import chronosketch.spark.warehouse.manifest._
import chronosketch.spark.warehouse.runs.{ColumnTypes, EntryFolders}
import chronosketch.summary.Parameter
import chronosketch.warehouse.{DamagedWarehouse, MemoryShares, StepWindows}

/** A folder of sorted rows, with one run per step and a manifest that alone defines which runs exist.
  *
  * Guarantee  an appended row counts exactly once, whatever other writers, readers and merges do, or when they stop; a reader sees one
  *            version
  * Cost       an append sorts its rows and writes them; a row is written again once per level of runs
  * Units      steps are increasing whole numbers
  * Source     Singh, Srivastava, Tirthapura, Estimating quantiles from the union of historical and streaming data (HistStream), VLDB 2016
  */
final class Warehouse private[warehouse] (
    session: SparkSession,
    val path: Path,
    store: ManifestStore,
    clock: () => Long = () => System.currentTimeMillis()
) {
  private val folders = new EntryFolders(path, Warehouse.hadoop(session))
  private val upkeep = new Upkeep(session, store, folders, clock)
  private val edits = new WarehouseEdits(session, store, folders)

  /** The current state. */
  private[spark] def state: State = store.newest

  /** Adds rows as one step, in one commit.
    *
    * @param rows  have the columns of the warehouse, and may have others
    * @param step  must be greater than all existing steps; the next one if absent
    * @param batch the name of the writer and the number of its batch, which increases. A repeat of the last batch is recognised and adds
    *              nothing; a lower number is refused
    */
  def append(rows: DataFrame, step: Option[Long] = None, batch: Option[(String, Long)] = None): Appended =
    withErrorContext("warehouse append") {
      val appended = edits.append(new NewRows(rows, batch), step)
      if (appended.isNew) upkeep.merge()
      appended
    }

  /** Starts a query that writes a stream to the warehouse, each batch in one commit. The rows are live until their step ends.
    *
    * @param stream     its rows have the columns of the warehouse, and may have others
    * @param checkpoint the folder where the query stores its progress; a query with the same folder continues there
    * @param step       the length of a step, as in "1 day". A step ends at a whole multiple of it since 1970, in UTC, by the driver's
    *                   clock, with the first batch after that. If absent, only [[endStep]] ends a step
    */
  def attach(
      stream: DataFrame,
      checkpoint: String,
      step: Option[String] = None,
      trigger: Trigger = Trigger.ProcessingTime(0)
  ): StreamingQuery = {
    val options = Map("checkpointLocation" -> checkpoint) ++ step.map("step" -> _)
    stream.writeStream.format(Warehouse.Format).options(options).trigger(trigger).start(path.toString)
  }

  /** Refuses columns that the warehouse cannot store. */
  private[warehouse] def requireColumns(columns: Seq[Attribute]): Unit =
    withErrorContext("warehouse attach") {
      ColumnTypes.selectAttributes(state.definition, columns)
      ()
    }

  /** The writer of a stream with these columns. `query` is the id of the query, which its checkpoint keeps. */
  private[warehouse] def openStream(
      columns: Seq[Attribute],
      query: String,
      length: Option[StepLength]
  ): LiveStream =
    new LiveStream(session, store, folders, clock, state.definition, query, columns, length)

  /** Ends the step that streams write to: its live batches become one sorted run. Returns None if there are none. */
  def endStep(): Option[Appended] = withErrorContext("warehouse end_step") {
    val ended = upkeep.endStep().map(Appended.of)
    upkeep.merge()
    ended
  }

  /** Completes the work of a writer or stream that stopped: ends a step whose time is over, and merges levels that have more than kappa
    * entries. Returns how many runs and live batches were merged.
    */
  def compact(): Int = withErrorContext("warehouse compact") {
    upkeep.endStepIfOver()
    upkeep.merge()
  }

  /** Drops the runs that are older than the last n steps, in one commit. Returns how many rows they had. A run of several steps stays until
    * all of them are older, and live batches always stay. [[vacuum]] deletes the files.
    */
  def retain(steps: Long): Long = withErrorContext("warehouse retain") {
    if (steps < 1) throw Warehouse.outOfRange("steps", steps.toString, s"[1, ${Long.MaxValue}]")
    val update = store.update(_.retain(steps))
    update.before.rows - update.after.rows
  }

  /** Puts new rows in place of stored ones, in one commit: those of steps, those of groups, or those of groups in steps.
    *
    * With steps alone, the new rows become one run of these steps, which may also be steps without rows so far. With a condition on groups,
    * they go to the newest of the selected steps. If no steps are selected, they go to the newest run that has such a group, or become the
    * next step if none has.
    *
    * @param rows     have the columns of the warehouse, and may have others
    * @param step     the first step; all steps if absent
    * @param lastStep the last step; the same as `step` if absent. Steps that have been merged can only be replaced together
    * @param where    SQL that reads the columns of `by`. All new rows must meet it
    * @param batch    the name of the writer and the number of its batch, as in [[append]]
    */
  def replace(
      rows: DataFrame,
      step: Option[Long] = None,
      lastStep: Option[Long] = None,
      where: Option[String] = None,
      batch: Option[(String, Long)] = None
  ): Replaced = withErrorContext("warehouse replace") {
    val replaced = edits.replace(RowSelection.of(step, lastStep, where), new NewRows(rows, batch))
    if (replaced.isNew) upkeep.merge()
    replaced
  }

  /** Deletes rows in one commit: those of steps, those of groups, or those of groups in steps. Without steps, live rows are deleted, too.
    * [[vacuum]] deletes the files that still have them, once its grace period has passed.
    *
    * Steps without a condition are gone. If a condition leaves no row of a step, the step stays, so that windows have the same steps.
    * `nulls` is not known by group and stays.
    *
    * @param where    SQL that reads the columns of `by`
    * @param step     the first step; all steps if absent
    * @param lastStep the last step; the same as `step` if absent. Steps that have been merged can only be deleted together
    */
  def delete(
      where: Option[String] = None,
      step: Option[Long] = None,
      lastStep: Option[Long] = None
  ): Deleted = withErrorContext("warehouse delete") {
    edits.delete(RowSelection.of(step, lastStep, where))
  }

  /** Deletes the files that are needed by no version that was current less than `graceMillis` ago: folders, and files that failed tasks
    * have left in other folders. Returns what was deleted.
    */
  def vacuum(graceMillis: Long): Seq[String] = withErrorContext("warehouse vacuum") {
    val horizon = System.currentTimeMillis() - graceMillis
    val states = store.storedStates()
    // a version may be read until another replaces it, and longer by readers that began before
    val needed = states.take(1) ++ states.drop(1).zip(states).takeWhile(_._2.committedAt >= horizon).map(_._1)
    needed.lastOption.foreach(oldest => store.deleteBefore(oldest.version))
    val entries = needed.flatMap(_.entries).groupBy(_.id)
    val unneeded =
      folders.changeTimes.collect { case (id, newest) if !entries.contains(id) && newest < horizon => id }
    unneeded.foreach(folders.delete)
    unneeded ++ entries.values.flatMap(folders.deleteUnnamed(_, horizon))
  }

  /** The windows whose answers are as exact as those over all steps, with their first step and number of rows. While there are live
    * batches, the open step is the newest step of each.
    */
  def windows: Seq[StepWindow] = withErrorContext("warehouse windows") {
    val now = state
    val live = now.live.map(_.rows).sum
    val open = now.open.map { _ =>
      val step = now.stepFor(None)
      StepWindow(1, step, step, live, live)
    }
    val newest = open.toIndexedSeq ++
      now.runs.reverse.map(run => StepWindow(run.steps, run.firstStep, run.lastStep, run.rows, 0))
    val rows = newest.scanLeft(0L)(_ + _.rows).drop(1)
    val ends = newest.scanLeft(0L)(_ + _.steps).drop(1)
    StepWindows.aligned(newest.map(_.steps)).map { k =>
      val at = ends.indexOf(k)
      StepWindow(k, newest(at).firstStep, newest.head.lastStep, rows(at), live)
    }
  }

  /** The phi-quantiles of each group: one row per group and phi, with certain bounds and the cost of the answer.
    *
    * @param isAccurate whether to read the few rows needed until only live rows cause uncertainty; otherwise only summaries are used
    * @param window     the number of newest steps to include, where live batches are the newest; all if absent
    */
  def quantile(phis: Seq[Phi], isAccurate: Boolean = true, window: Option[Long] = None): DataFrame =
    SparkPrivates.frame(
      session.asInstanceOf[classic.SparkSession],
      plan("warehouse quantile", isAccurate, window)(QuantileAnswers(phis, _))
    )

  /** Plans a query to the current version. The answers may depend on the type of the values. */
  private[warehouse] def plan(function: String, isAccurate: Boolean, window: Option[Long])(
      answers: DataType => GroupAnswers
  ): LogicalPlan = withErrorContext(function) {
    val now = state
    val types = now.definition.types.getOrElse(throw Refusal("CHRONOSKETCH_WAREHOUSE_EMPTY"))
    WarehouseAnswer.of(WarehouseQuery(path, now, types, answers(types.last), window, isAccurate))
  }

  /** Registers a name for this warehouse in the session, and creates the views `<name>_runs`, `<name>_live` and `<name>_summaries` of the
    * current version, which is returned. Calling it again with the same name updates the views to the then current version.
    */
  def register(name: String): Long = withErrorContext("warehouse register") {
    RegisteredNames.require(name)
    val now = state
    new WarehouseViews(session, folders, now).create(name)
    RegisteredNames.put(session, name, path.toString)
    now.version
  }

  /** Describes the storage guarantee that commits rely on. */
  def standsOn: String = store.description

  private[warehouse] def withErrorContext[A](function: String)(body: => A): A =
    Warehouse.withErrorContext(function, path)(body)
}

/** The result of an append or of the end of a step.
  *
  * @param rows  the stored rows
  * @param nulls the rows that were left out because their value is NULL
  * @param isNew false if the batch was a repeat
  */
final case class Appended(step: Long, rows: Long, nulls: Long, version: Long, isNew: Boolean)

private[warehouse] object Appended {

  /** The result of a commit whose newest run is the one that was added. */
  def of(state: State): Appended = {
    val run = state.runs.last
    Appended(run.lastStep, run.rows, run.nulls, state.version, isNew = true)
  }
}

/** A window of the last `steps` steps: its first and last step, and its number of rows. `live` rows are in the open step. */
final case class StepWindow(steps: Long, firstStep: Long, lastStep: Long, rows: Long, live: Long)

object Warehouse {

  /** The name of the data source for `writeStream.format`. */
  private[warehouse] val Format = "chronosketch"

  val Epsilon: Parameter =
    Parameter("epsilon", default = QuantileSketch.Epsilon.default, least = 1e-6, greatest = 0.5)
  val Kappa: Parameter = Parameter("kappa", default = 10, least = 1, greatest = 1000)

  /** The default number of steps that share a memory limit: ten thousand days, or a year of hours. */
  val Steps: Long = 10000

  /** Creates an empty warehouse in a folder that has none. Its columns get their types from the first rows.
    *
    * @param value   the column that is measured
    * @param by      the columns that rows are grouped by
    * @param epsilon the rank error allowed for answers from summaries alone, as a share of the rows
    * @param kappa   the maximal number of runs in a level
    * @param store   the store of the manifest: "files", or "delta" if the file system cannot create a file only if it is absent
    * @param ifNotExists whether to open an existing warehouse with the same settings
    */
  def create(
      session: SparkSession,
      path: String,
      value: String,
      by: Seq[String] = Nil,
      epsilon: Double = Epsilon.default,
      kappa: Int = Kappa.default.toInt,
      ifNotExists: Boolean = false,
      store: String = ManifestStores.Files
  ): Warehouse = create(session, path, value, by, kappa, ifNotExists, store) {
    require(Epsilon, epsilon)
    ErrorLimits.of(epsilon)
  }

  /** Creates an empty warehouse like [[create]], whose summaries are as accurate as a memory limit allows. Runs get half of the memory,
    * live batches the other half. Summaries take more if even the coarsest ones do not fit, because there are too many groups.
    *
    * @param memory in bytes
    * @param steps  the expected maximal number of steps; with more steps, summaries exceed the memory
    */
  def createWithin(
      session: SparkSession,
      path: String,
      value: String,
      by: Seq[String] = Nil,
      memory: Long,
      steps: Long = Steps,
      kappa: Int = Kappa.default.toInt,
      ifNotExists: Boolean = false,
      store: String = ManifestStores.Files
  ): Warehouse = create(session, path, value, by, kappa, ifNotExists, store) {
    if (steps < 1) throw outOfRange("steps", steps.toString, s"[1, ${Long.MaxValue}]")
    val least = MemoryShares.minBytes(steps, kappa)
    if (memory < least)
      throw outOfRange("memory", s"$memory bytes", s"[$least bytes, ${Long.MaxValue} bytes]")
    MemoryLimits(MemoryShares(memory, steps, kappa))
  }

  private def create(
      session: SparkSession,
      path: String,
      value: String,
      by: Seq[String],
      kappa: Int,
      ifNotExists: Boolean,
      store: String
  )(limits: => SummaryLimits): Warehouse = {
    val folder = folderOf(session, path)
    withErrorContext("warehouse create", folder) {
      require(Kappa, kappa.toDouble)
      ColumnNames.require(value, by)
      val definition = Definition(State.newId(), value, by, None, limits, kappa)
      val stores = storesOf(session, folder)
      val manifest = stores.ofKind(store)
      val warehouse = new Warehouse(session, folder, manifest)
      def exists: Refusal = Refusal("CHRONOSKETCH_WAREHOUSE_EXISTS")
      if (!stores.isOnly(store)) throw exists
      val isCreated = manifest.commit(State.initial(definition))
      if (!isCreated && !(ifNotExists && warehouse.state.definition.hasSameSettings(definition))) throw exists
      // two concurrent creators with different stores: at least one of them sees the other's
      if (!stores.isOnly(store))
        throw DamagedWarehouse(
          "another writer created a warehouse there at the same time, with another store"
        )
      warehouse
    }
  }

  /** Opens the warehouse in a folder, or the one registered in the session under a name. */
  def open(session: SparkSession, path: String): Warehouse = {
    val folder = folderOf(session, path)
    val warehouse = new Warehouse(session, folder, storesOf(session, folder).detect())
    warehouse.withErrorContext("warehouse open") { warehouse.state; () }
    warehouse
  }

  private def folderOf(session: SparkSession, text: String): Path = {
    val path = new Path(RegisteredNames.path(session, text))
    path.getFileSystem(hadoop(session)).makeQualified(path)
  }

  private def storesOf(session: SparkSession, folder: Path): ManifestStores =
    new ManifestStores(session.asInstanceOf[classic.SparkSession], folder)

  /** Adds the function and the path to the errors of a body. */
  private def withErrorContext[A](function: String, folder: Path)(body: => A): A =
    Conditions.answering(Map("function" -> function, "path" -> folder.toString)) {
      try body
      catch {
        // Spark wraps a refusal of a task in the failure of the job
        case failed: SparkException =>
          throw Iterator.iterate[Throwable](failed)(_.getCause).takeWhile(_ != null)
            .collectFirst { case refusal: Refusal => refusal }.getOrElse(failed)
      }
    }

  private[warehouse] def hadoop(session: SparkSession) =
    session.asInstanceOf[classic.SparkSession].sessionState.newHadoopConf()

  private def require(parameter: Parameter, value: Double): Unit =
    if (!parameter.allows(value)) throw outOfRange(parameter.name, value.toString, parameter.range)

  private def outOfRange(parameter: String, value: String, range: String): Refusal = Refusal(
    "CHRONOSKETCH_PARAMETER_OUT_OF_RANGE",
    "parameter" -> parameter,
    "value" -> value,
    "range" -> range
  )
}
