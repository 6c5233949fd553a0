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
import chronosketch.spark.sql.{Conditions, JobDescription, SparkPrivates}
import chronosketch.spark.warehouse.answers.{Quantiles, Question, Wanted}
import chronosketch.spark.warehouse.blocks.RowSort
import chronosketch.spark.warehouse.live.{LiveStream, StepLength, Upkeep}
import chronosketch.spark.warehouse.manifest._
import chronosketch.spark.warehouse.plan.WarehouseAnswer
import chronosketch.spark.warehouse.registered.{RegisteredNames, RegisteredViews}
import chronosketch.spark.warehouse.runs.{ColumnTypes, RunFolders, RunWriter}
import chronosketch.summary.Parameter
import chronosketch.warehouse.{MemoryShares, StepWindows}

/** Sorted rows in a folder, a run a step, and one manifest that alone says which runs there are.
  *
  * Guarantee  a row that was taken counts once, whoever else writes, reads, merges or stops at any moment; a reader sees one version
  * Cost       an append sorts its rows and writes them; a row is written again once a level of runs
  * Units      steps are whole numbers that rise
  * Source     Singh, Srivastava, Tirthapura, Estimating quantiles from the union of historical and streaming data (HistStream),
  *            VLDB 2016
  */
final class Warehouse private[warehouse] (
    session: SparkSession,
    val path: Path,
    store: RunStore,
    clock: () => Long = () => System.currentTimeMillis()
) {
  private val folders = new RunFolders(path, Warehouse.hadoop(session))
  private val writer = new RunWriter(session, folders)
  private val upkeep = new Upkeep(session, store, folders, clock)

  /** All that is true at present. */
  private[spark] def state: State =
    store.current().getOrElse(throw Refusal("CHRONOSKETCH_WAREHOUSE_NOT_FOUND"))

  /** Adds rows as one step, in one commit.
    *
    * @param rows  have the columns of the warehouse, and may have others
    * @param step  comes after all steps there are; the next one where none is given
    * @param batch the writer, and the number of its batch, which rises. A repeat of the last one is recognised and adds nothing; a lower
    *              number is refused
    */
  def append(rows: DataFrame, step: Option[Long] = None, batch: Option[(String, Long)] = None): Appended =
    asked("warehouse append") {
      val before = state
      alreadyTaken(before, batch).getOrElse {
        val at = before.stepFor(step)
        val (_, taken) = ColumnTypes.taken(before.definition, rows)
        val run = JobDescription.during(s"append to $path: step $at") {
          writer.write(
            new RowSort(taken),
            before.definition.limits.run(before.runs.size + 1),
            level = 0,
            at,
            at,
            steps = 1
          )
        }
        val appended = orDelete(run)(commit(before.definition.id, run, taken, step, batch))
        upkeep.merge()
        appended
      }
    }

  private def commit(
      begun: String,
      run: Run,
      taken: DataFrame,
      wanted: Option[Long],
      batch: Option[(String, Long)]
  ): Appended = {
    val before = state
    if (before.definition.id != begun)
      throw Damaged("another warehouse was created there while the append was running")
    alreadyTaken(before, batch) match {
      case Some(appended) =>
        folders.delete(run.id)
        appended
      case None =>
        val at = before.stepFor(wanted)
        val next = before.appending(
          run.copy(firstStep = at, lastStep = at),
          batch.map { case (writer, number) => Written(writer, number, at) },
          before.definition.typed(taken.schema.map(_.dataType))
        )
        if (store.commit(next)) Appended(at, run.rows, run.nulls, next.version, isNew = true)
        else commit(begun, run, taken, wanted, batch)
    }
  }

  private def alreadyTaken(state: State, batch: Option[(String, Long)]): Option[Appended] =
    batch.flatMap { case (writer, number) => state.stepOf(writer, number) }
      .map(step => Appended(step, 0, 0, state.version, isNew = false))

  /** What is refused is in no manifest; of any other failure that is not known, and `vacuum` will tell. */
  private def orDelete[A](run: Run)(body: => A): A =
    try body
    catch {
      case refusal: Refusal =>
        folders.delete(run.id)
        throw refusal
    }

  /** Takes the rows of a stream from now on, each batch in one commit: they are live until their step ends.
    *
    * @param stream     its rows have the columns of the warehouse, and may have others
    * @param checkpoint the folder where the query keeps how far it is; with the same one it goes on after a stop
    * @param step       how long a step is, as in "1 day": it ends at whole multiples since 1970, in UTC, by the driver's clock, with the
    *                   first batch after that. None: [[endStep]] alone ends it
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

  /** Refuses columns that the warehouse can't take. */
  private[warehouse] def requireColumns(columns: Seq[Attribute]): Unit = asked("warehouse attach") {
    ColumnTypes.of(state.definition, columns)
    ()
  }

  /** A stream with rows of these columns; `query` is its id, which its checkpoint keeps. */
  private[warehouse] def streaming(
      columns: Seq[Attribute],
      query: String,
      length: Option[StepLength]
  ): LiveStream =
    new LiveStream(session, store, folders, clock, state.definition, query, columns, length)

  /** Ends the step that streams write to: its live batches become one sorted run. None where nothing is live. */
  def endStep(): Option[Appended] = asked("warehouse end_step") {
    val ended = upkeep.endStep().map { state =>
      val run = state.runs.last
      Appended(run.lastStep, run.rows, run.nulls, state.version, isNew = true)
    }
    upkeep.merge()
    ended
  }

  /** Does what a writer or a stream that stopped has left undone: ends a step whose time is over, and merges where a level has more than
    * kappa; how many runs and live batches were merged.
    */
  def compact(): Int = asked("warehouse compact") {
    upkeep.endStepIfOver()
    upkeep.merge()
  }

  /** Forgets the runs that have none of the last so many steps, in one commit; how many rows they had. A run of several steps stays until
    * all of them are older, and so does what is live. [[vacuum]] deletes the files.
    */
  def retain(steps: Long): Long = asked("warehouse retain") {
    if (steps < 1) throw Warehouse.outOfRange("steps", steps.toString, s"[1, ${Long.MaxValue}]")
    forgetting(steps)
  }

  private def forgetting(steps: Long): Long = {
    val before = state
    before.retaining(steps) match {
      case None => 0L
      case Some(next) => if (store.commit(next)) before.rows - next.rows else forgetting(steps)
    }
  }

  /** Deletes what no version needs that was current less than so many milliseconds ago: folders, and files in the folders that stay, which
    * failed tasks have left; what is gone.
    */
  def vacuum(graceMillis: Long): Seq[String] = asked("warehouse vacuum") {
    val horizon = System.currentTimeMillis() - graceMillis
    val states = store.kept()
    // a version is read until another takes its place, and by those who began before that
    val needed = states.take(1) ++ states.drop(1).zip(states).takeWhile(_._2.at >= horizon).map(_._1)
    needed.lastOption.foreach(oldest => store.forget(oldest.version))
    val lines = needed.flatMap(_.lines).groupBy(_.id)
    val gone = folders.all.collect { case (id, newest) if !lines.contains(id) && newest < horizon => id }
    gone.foreach(folders.delete)
    gone ++ lines.values.flatMap(folders.deleteUnnamed(_, horizon))
  }

  /** The windows that answers are as exact of as of all: how many steps back, the first of them, and their rows. The open step is the
    * newest of them, while something is live.
    */
  def windows: Seq[StepWindow] = asked("warehouse windows") {
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

  /** The phi-quantiles of each group: a row a group and phi, with bounds that always hold, and what the answer cost.
    *
    * @param isAccurate whether rows are read, few of them, until nothing is left in doubt but by live rows; else summaries alone answer
    * @param window     the last so many steps, of which what is live is the newest; all where none is given
    */
  def quantile(phis: Seq[Phi], isAccurate: Boolean = true, window: Option[Long] = None): DataFrame =
    SparkPrivates.frame(
      session.asInstanceOf[classic.SparkSession],
      answer("warehouse quantile", isAccurate, window)(Quantiles(phis, _))
    )

  /** The answers of one version, which is the newest now; what is wanted may depend on the type of the values. */
  private[warehouse] def answer(function: String, isAccurate: Boolean, window: Option[Long])(
      wanted: DataType => Wanted
  ): LogicalPlan = asked(function) {
    val now = state
    val types = now.definition.types.getOrElse(throw Refusal("CHRONOSKETCH_WAREHOUSE_EMPTY"))
    WarehouseAnswer.of(Question(path, now, types, wanted(types.last), window, isAccurate))
  }

  /** Lets the session know this warehouse by a name, and makes the views `<name>_runs`, `<name>_live` and `<name>_summaries` of the
    * version that is newest now, which is returned. With the same name again they are of the version that is newest then.
    */
  def register(name: String): Long = asked("warehouse register") {
    RegisteredNames.require(name)
    val now = state
    new RegisteredViews(session, folders, now).create(name)
    RegisteredNames.put(session, name, path.toString)
    now.version
  }

  /** On what the promises of its commits stand. */
  def standsOn: String = store.description

  private[warehouse] def asked[A](function: String)(body: => A): A = Warehouse.asked(function, path)(body)
}

/** What an append did, or the end of a step: the step, its rows and those with a NULL value, which were left out; not new where a repetition
  * was recognised.
  */
final case class Appended(step: Long, rows: Long, nulls: Long, version: Long, isNew: Boolean)

/** The last `steps` steps, from one to the last, and how many rows these have; `live` of them are of the step that is open. */
final case class StepWindow(steps: Long, firstStep: Long, lastStep: Long, rows: Long, live: Long)

object Warehouse {

  /** What `writeStream.format` calls a warehouse. */
  private[warehouse] val Format = "chronosketch"

  val Epsilon: Parameter =
    Parameter("epsilon", default = QuantileSketch.Epsilon.default, least = 1e-6, greatest = 0.5)
  val Kappa: Parameter = Parameter("kappa", default = 10, least = 1, greatest = 1000)

  /** So many steps a memory is shared out for: ten thousand days, or a year of hours. */
  val Steps: Long = 10000

  /** An empty one in a folder that has none. Its columns get their types from the first rows.
    *
    * @param value   the column that is measured
    * @param by      the columns that rows are grouped by
    * @param epsilon the rank error allowed to answers from summaries alone, as a share of the rows
    * @param kappa   how many runs a level has at most
    * @param store   what keeps its manifest: "files", or "delta" where the file system can't put a file only if there is none
    * @param ifNotExists whether one that is there already, and is the same in all this, is opened
    */
  def create(
      session: SparkSession,
      path: String,
      value: String,
      by: Seq[String] = Nil,
      epsilon: Double = Epsilon.default,
      kappa: Int = Kappa.default.toInt,
      ifNotExists: Boolean = false,
      store: String = RunStores.Files
  ): Warehouse = create(session, path, value, by, kappa, ifNotExists, store) {
    require(Epsilon, epsilon)
    ErrorLimits.of(epsilon)
  }

  /** An empty one as [[create]] makes it, whose summaries take so much memory and are as close as they can be then. Half goes to runs, half
    * to what is live. Where groups are so many that the coarsest summaries don't fit, they take more.
    *
    * @param memory in bytes
    * @param steps  how many steps there will be at most: with more of them summaries take more
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
      store: String = RunStores.Files
  ): Warehouse = create(session, path, value, by, kappa, ifNotExists, store) {
    if (steps < 1) throw outOfRange("steps", steps.toString, s"[1, ${Long.MaxValue}]")
    val least = MemoryShares.least(steps, kappa)
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
    asked("warehouse create", folder) {
      require(Kappa, kappa.toDouble)
      ColumnNames.require(value, by)
      val definition = Definition(State.newId(), value, by, None, limits, kappa)
      val stores = storesOf(session, folder)
      val manifest = stores.of(store)
      val warehouse = new Warehouse(session, folder, manifest)
      def exists: Refusal = Refusal("CHRONOSKETCH_WAREHOUSE_EXISTS")
      if (!stores.isOnly(store)) throw exists
      val isMade = manifest.commit(State.first(definition))
      if (!isMade && !(ifNotExists && warehouse.state.definition.isLike(definition))) throw exists
      // two at once, with a store each: one at least sees the other
      if (!stores.isOnly(store))
        throw Damaged("another writer created a warehouse there at the same time, with another store")
      warehouse
    }
  }

  /** The one in a folder, or of a name that the session knows. */
  def open(session: SparkSession, path: String): Warehouse = {
    val folder = folderOf(session, path)
    val warehouse = new Warehouse(session, folder, storesOf(session, folder).found)
    warehouse.asked("warehouse open") { warehouse.state; () }
    warehouse
  }

  private def folderOf(session: SparkSession, text: String): Path = {
    val path = new Path(RegisteredNames.path(session, text))
    path.getFileSystem(hadoop(session)).makeQualified(path)
  }

  private def storesOf(session: SparkSession, folder: Path): RunStores =
    new RunStores(session.asInstanceOf[classic.SparkSession], folder)

  private def asked[A](function: String, folder: Path)(body: => A): A =
    Conditions.answering(Map("function" -> function, "path" -> folder.toString)) {
      try body
      catch {
        // what a task refuses comes back inside Spark's word that the job failed
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
