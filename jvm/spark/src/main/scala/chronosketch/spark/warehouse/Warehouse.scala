package chronosketch.spark.warehouse

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.DataType
import org.apache.spark.sql.{DataFrame, SparkSession, classic}

import chronosketch.Refusal
import chronosketch.quantile.QuantileSketch
import chronosketch.rank.Phi
import chronosketch.spark.sql.{Conditions, SparkPrivates}
import chronosketch.spark.warehouse.answers.{Quantiles, Question, Wanted}
import chronosketch.spark.warehouse.manifest._
import chronosketch.spark.warehouse.plan.WarehouseAnswer
import chronosketch.spark.warehouse.runs.{ColumnTypes, Compaction, RunFolders, RunWriter}
import chronosketch.summary.Parameter
import chronosketch.warehouse.StepWindows

/** Sorted rows in a folder, a run a step, and one manifest that alone says which runs there are.
  *
  * Guarantee  a row that was taken counts once, whoever else writes, reads, merges or stops at any moment; a reader sees one version
  * Cost       an append sorts its rows and writes them; a row is written again once a level of runs
  * Units      steps are whole numbers that rise
  * Source     Singh, Srivastava, Tirthapura, Estimating quantiles from the union of historical and streaming data (HistStream),
  *            VLDB 2016
  */
final class Warehouse private[warehouse] (session: SparkSession, val path: Path, store: RunStore) {
  private val folders = new RunFolders(path, Warehouse.hadoop(session))
  private val writer = new RunWriter(session, folders)

  /** All that is true at present. */
  private[spark] def state: State =
    store.current().getOrElse(throw Refusal("CHRONOSKETCH_WAREHOUSE_NOT_FOUND"))

  /** Adds rows as one step, in one commit.
    *
    * @param rows  have the columns of the warehouse, and may have others
    * @param step  comes after all steps there are; the next one where none is given
    * @param batch the writer, and the number of its batch, which rises: what was taken already is not taken again
    */
  def append(rows: DataFrame, step: Option[Long] = None, batch: Option[(String, Long)] = None): Appended =
    asked("warehouse append") {
      val before = state
      alreadyTaken(before, batch).getOrElse {
        val at = before.stepFor(step)
        val (_, taken) = ColumnTypes.taken(before.definition, rows)
        val run = writer.write(taken, before.definition.epsilon1, level = 0, at, at, steps = 1)
        val appended = orDelete(run)(commit(run, taken, step, batch))
        compact()
        appended
      }
    }

  private def commit(
      run: Run,
      taken: DataFrame,
      wanted: Option[Long],
      batch: Option[(String, Long)]
  ): Appended = {
    val before = state
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
        else commit(run, taken, wanted, batch)
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

  /** Merges the runs of each level that has more than kappa; how many runs were merged. */
  def compact(): Int = asked("warehouse compact")(new Compaction(session, store, folders, writer).all())

  /** Deletes what no version needs that was current less than so many milliseconds ago; the folders that are gone. */
  def vacuum(graceMillis: Long): Seq[String] = asked("warehouse vacuum") {
    val horizon = System.currentTimeMillis() - graceMillis
    val states = store.kept()
    // a version is read until another takes its place, and by those who began before that
    val needed = states.take(1) ++ states.drop(1).zip(states).takeWhile(_._2.at >= horizon).map(_._1)
    needed.lastOption.foreach(oldest => store.forget(oldest.version))
    val named = needed.flatMap(_.runs.map(_.id)).toSet
    val gone = folders.all.collect { case (id, newest) if !named(id) && newest < horizon => id }
    gone.foreach(folders.delete)
    gone
  }

  /** The windows that answers are exact of: how many steps back, the first of them, and their rows. */
  def windows: Seq[StepWindow] = asked("warehouse windows") {
    val newest = state.runs.reverse
    val rows = newest.scanLeft(0L)(_ + _.rows).drop(1)
    val ends = newest.scanLeft(0L)(_ + _.steps).drop(1)
    StepWindows.aligned(newest.map(_.steps)).map { k =>
      val run = ends.indexOf(k)
      StepWindow(k, newest(run).firstStep, newest.head.lastStep, rows(run))
    }
  }

  /** The phi-quantiles of each group: a row a group and phi, with bounds that always hold, and what the answer cost.
    *
    * @param isAccurate whether rows are read, few of them, until nothing is left in doubt; else summaries alone answer
    * @param window     the last so many steps; all where none is given
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

  /** On what the promises of its commits stand. */
  def standsOn: String = store.description

  private[warehouse] def asked[A](function: String)(body: => A): A =
    Conditions.answering(Map("function" -> function, "path" -> path.toString))(body)
}

/** What an append did: the step, its rows and those with a NULL value, which were left out; not new where a repetition was recognised. */
final case class Appended(step: Long, rows: Long, nulls: Long, version: Long, isNew: Boolean)

/** The last `steps` steps, from one to the last, and how many rows these have. */
final case class StepWindow(steps: Long, firstStep: Long, lastStep: Long, rows: Long)

object Warehouse {
  val Epsilon: Parameter =
    Parameter("epsilon", default = QuantileSketch.Epsilon.default, least = 1e-6, greatest = 0.5)
  val Kappa: Parameter = Parameter("kappa", default = 10, least = 1, greatest = 1000)

  /** An empty one in a folder that has none. Its columns get their types from the first rows.
    *
    * @param value   the column that is measured
    * @param by      the columns that rows are grouped by
    * @param epsilon the rank error allowed to answers from summaries alone, as a share of the rows
    * @param kappa   how many runs a level has at most
    */
  def create(
      session: SparkSession,
      path: String,
      value: String,
      by: Seq[String] = Nil,
      epsilon: Double = Epsilon.default,
      kappa: Int = Kappa.default.toInt
  ): Warehouse = {
    val warehouse = at(session, path)
    warehouse.asked("warehouse create") {
      require(Epsilon, epsilon)
      require(Kappa, kappa.toDouble)
      Names.require(value, by)
      val definition = Definition(State.newId(), value, by, None, epsilon / 2, epsilon / 4, kappa)
      if (!storeOf(session, warehouse.path).commit(State.first(definition)))
        throw Refusal("CHRONOSKETCH_WAREHOUSE_EXISTS")
    }
    warehouse
  }

  def open(session: SparkSession, path: String): Warehouse = {
    val warehouse = at(session, path)
    warehouse.asked("warehouse open") { warehouse.state; () }
    warehouse
  }

  private def at(session: SparkSession, text: String): Warehouse = {
    val path = new Path(text)
    val whole = path.getFileSystem(hadoop(session)).makeQualified(path)
    new Warehouse(session, whole, storeOf(session, whole))
  }

  private def storeOf(session: SparkSession, path: Path): RunStore =
    new RunLog(new Path(path, "manifest"), hadoop(session))

  private[warehouse] def hadoop(session: SparkSession) =
    session.asInstanceOf[classic.SparkSession].sessionState.newHadoopConf()

  private def require(parameter: Parameter, value: Double): Unit =
    if (!parameter.allows(value))
      throw Refusal(
        "CHRONOSKETCH_PARAMETER_OUT_OF_RANGE",
        "parameter" -> parameter.name,
        "value" -> value.toString,
        "range" -> parameter.range
      )
}
