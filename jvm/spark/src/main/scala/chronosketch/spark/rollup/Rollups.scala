package chronosketch.spark.rollup

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkSession}

import chronosketch.spark.following.{ChangeSource, LastVersion, ReadErrors, Sources}
import chronosketch.spark.rollup.RollupTable.{literal, refused}

/** The result of a step.
  *
  * @param step
  *   the number of the roll-up's last step
  * @param version
  *   the source's version up to which the roll-up is fresh
  * @param rows
  *   how many rows of the roll-up were written
  * @param isNew
  *   whether a step was made
  */
final case class StepResult(step: Long, version: LastVersion, rows: Long, isNew: Boolean)

object StepResult {

  /** The result for a source that has no version yet. */
  val none: StepResult = StepResult(0, LastVersion(-1, "", 0), 0, isNew = false)
}

/** Keeps roll-ups fresh: makes steps, and asks for the rows that a step would leave. */
object Rollups {

  /** How often a step is tried again after another follower was faster. */
  private val Attempts = 5

  /** Creates a roll-up if the table doesn't exist, and makes a step. */
  def follow(session: SparkSession, into: String, plan: RollupPlan): StepResult = {
    if (!Sources.exists(session, into)) {
      val source = Sources.open(session, plan.source, None)
      source.requireChanges()
      // if another follower creates it at the same time, the definitions are compared below
      RollupTable.create(session, into, plan.resolve(session, source))
    }
    val definition = RollupTable.definitionOf(session, into)
    RollupBatches.refuseFed(definition, into, "rollup")
    plan.refuseOther(into, definition, Sources.open(session, plan.source, None).name)
    refresh(session, into)
  }

  /** Adds the source's changes since the last step, in one commit. */
  def refresh(session: SparkSession, into: String): StepResult = retrying(into) {
    val table = opened(session, into, "refresh")
    table.progress match {
      case None => build(session, table, "begin")(_.all())
      case Some(before) =>
        val source = Sources.open(session, table.definition.source, Some(before.source))
        refuseReplaced(source, table, before)
        if (source.latest == before.source.version)
          Some(StepResult(before.step, before.source, 0, isNew = false))
        else explaining(table, before.source.version + 1, source.latest) {
          RollupPlan.refuseOtherTypes(session, table, source)
          write(session, table, source, "refresh")(_.changed())
        }
    }
  }

  /** Builds all rows anew from the source, as of its newest version. */
  def rebuild(session: SparkSession, into: String): StepResult = retrying(into) {
    build(session, opened(session, into, "rebuild", rebuilding = true), "rebuild")(_.all())
  }

  /** Makes a step, and builds the buckets that a range of times touches anew from the source. The times are micros. */
  def rebuild(session: SparkSession, into: String, from: Option[Long], to: Option[Long]): StepResult =
    retrying(into) {
      RollupBatches.refuseFed(RollupTable.definitionOf(session, into), into, "rebuild")
      refresh(session, into)
      val table = RollupTable.open(session, into)
      table.progress match {
        case None => Some(StepResult.none)
        case Some(before) =>
          val source = Sources.open(session, table.definition.source, Some(before.source))
          if (source.latest != before.source.version) None // it has changed since: refresh again
          else explaining(table, before.source.version, before.source.version) {
            write(session, table, source, "rebuild")(_.range(from, to))
          }
      }
    }

  /** The rows that a roll-up would have after a refresh. Nothing is written. */
  def now(session: SparkSession, into: String): DataFrame = {
    val table = RollupTable.open(session, into)
    if (table.definition.isFed) table.rows else now(session, table)
  }

  private def now(session: SparkSession, table: RollupTable): DataFrame = {
    val source = Sources.open(session, table.definition.source, table.progress.map(_.source))
    table.progress match {
      case None if source.latest < 0 => table.rows
      case None => new RollupStep(table, source, isKept = false).all().rows
      case Some(before) =>
        refuseReplaced(source, table, before)
        if (source.latest == before.source.version) table.rows
        else explaining(table, before.source.version + 1, source.latest) {
          RollupPlan.refuseOtherTypes(session, table, source)
          val changed = new RollupStep(table, source, isKept = false).changed()
          val condition = changed.condition(table.definition)
          table.rows.where(!coalesce(expr(condition.getOrElse("true")), lit(false))).unionByName(changed.rows)
        }
    }
  }

  /** Opens a roll-up of a table. */
  private def opened(
      session: SparkSession,
      into: String,
      procedure: String,
      rebuilding: Boolean = false
  ): RollupTable = {
    val definition = RollupTable.definitionOf(session, into)
    RollupBatches.refuseFed(definition, into, procedure)
    RollupTable.open(session, into, definition, rebuilding)
  }

  private def build(session: SparkSession, table: RollupTable, kind: String)(
      replacement: RollupStep => Replacement
  ): Option[StepResult] = {
    val source = Sources.open(session, table.definition.source, None)
    source.requireChanges()
    if (source.latest < 0) Some(StepResult.none)
    else explaining(table, source.latest, source.latest) {
      RollupPlan.refuseOtherTypes(session, table, source)
      write(session, table, source, kind)(replacement)
    }
  }

  /** Commits a step. Returns None if another follower was faster. */
  private[rollup] def write(session: SparkSession, table: RollupTable, source: ChangeSource, kind: String)(
      replacement: RollupStep => Replacement
  ): Option[StepResult] = {
    val step = new RollupStep(table, source)
    try {
      val replaced = replacement(step)
      val number = table.progress.fold(0L)(_.step) + 1
      val made = Progress(Progress.newId(), number, step.version, table.version, step.begins, kind)
      table.commit(replaced, made).map(StepResult(number, step.version, _, isNew = true))
    } finally step.close()
  }

  private def refuseReplaced(source: ChangeSource, table: RollupTable, before: Progress): Unit =
    source.replaced(before.source).foreach { reason =>
      throw refused(
        "CHRONOSKETCH_ROLLUP_SOURCE_REPLACED",
        "source" -> table.definition.source,
        "reason" -> reason,
        "name" -> literal(table.name)
      )
    }

  private def explaining[A](table: RollupTable, first: Long, last: Long)(body: => A): A =
    ReadErrors.explaining(
      table.definition.source,
      first,
      last,
      s"Build the roll-up anew: CALL chronosketch.rebuild(${literal(table.name)})"
    )(body)

  private[rollup] def retrying(into: String)(attempt: => Option[StepResult]): StepResult =
    Iterator.continually(attempt).take(Attempts).collectFirst { case Some(result) => result }.getOrElse {
      throw refused("CHRONOSKETCH_ROLLUP_CONCURRENT", "into" -> into, "attempts" -> Attempts.toString)
    }
}
