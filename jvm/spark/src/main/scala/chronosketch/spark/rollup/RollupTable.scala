package chronosketch.spark.rollup

import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}

import chronosketch.spark.following.{ReadErrors, Sources, TableNames}
import chronosketch.spark.sql.Conditions

/** A step, the time of its commit in micros, and how many rows it wrote. */
final case class CommittedStep(progress: Progress, micros: Long, rows: Long)

/** A roll-up's table at one of its own versions. */
final class RollupTable private (
    store: RollupStore,
    val name: String,
    val definition: RollupDefinition,
    newest: StoredVersion
) {

  /** The table's version: its number in Delta, or the id of the snapshot in Iceberg. */
  def version: Long = newest.version

  /** The step whose rows the table has, or None if no step was made. */
  def progress: Option[Progress] = newest.progress

  /** The last steps, the newest first. */
  def steps: Seq[CommittedStep] = newest.steps

  /** The rows at this version. */
  def rows: DataFrame = store.rows(version)

  /** Writes a step in one commit. Returns how many rows it wrote, or None if another follower was faster and nothing was written. */
  private[rollup] def commit(replacement: Replacement, progress: Progress): Option[Long] =
    store.commit(version, replacement, replacement.condition(definition), progress)

  /** The number of the table's files, and their bytes. */
  private[rollup] def size: (Long, Long) = store.size
}

object RollupTable {

  /** Creates the table without rows if it doesn't exist. */
  def create(session: SparkSession, name: String, definition: RollupDefinition): Unit =
    try { session.sql(RollupStore.create(session, name).creation(definition)); () }
    catch {
      case e if ReadErrors.isConflict(e) && Sources.exists(session, name) => ()
    } // another follower was faster

  /** The definition that a table's property has. */
  def definitionOf(session: SparkSession, name: String): RollupDefinition = {
    if (!Sources.exists(session, name)) {
      val (missing, similar) = TableNames.missing(session, name)
      throw refused(
        "CHRONOSKETCH_ROLLUP_NOT_FOUND",
        "missing" -> missing,
        "similar" -> TableNames.hint(similar)
      )
    }
    val properties =
      try session.sql(s"SHOW TBLPROPERTIES $name").collect().map(row =>
          row.getString(0) -> row.getString(1)
        ).toMap
      catch { case _: AnalysisException => Map.empty[String, String] } // a view
    properties.get(RollupDefinition.Property).flatMap(RollupDefinition.fromJson) match {
      case None => throw refused("CHRONOSKETCH_NOT_A_ROLLUP", "into" -> name)
      case Some(Left(format)) =>
        throw refused(
          "CHRONOSKETCH_ROLLUP_TOO_NEW",
          "into" -> name,
          "format" -> format,
          "known" -> RollupDefinition.Format.toString
        )
      case Some(Right(definition)) => definition
    }
  }

  /** Opens a roll-up at its newest version. */
  def open(session: SparkSession, name: String): RollupTable =
    open(session, name, definitionOf(session, name))

  /** Opens a roll-up, whose definition was read, at its newest version.
    *
    * @param rebuilding
    *   whether its rows will be replaced, so that it does not matter what they are
    */
  def open(
      session: SparkSession,
      name: String,
      definition: RollupDefinition,
      rebuilding: Boolean = false
  ): RollupTable = {
    val store = RollupStore.of(session, name)
    store.newest(rebuilding) match {
      case Right(newest) => new RollupTable(store, name, definition, newest)
      case Left(reason) => throw refuseChanged(name, definition, reason)
    }
  }

  private def refuseChanged(name: String, definition: RollupDefinition, reason: String): AnalysisException = {
    val remedy =
      if (definition.isFed)
        "Restore the version of its last step, or begin another roll-up with another checkpoint."
      else s"Build it anew: CALL chronosketch.rebuild(${literal(name)})"
    refused("CHRONOSKETCH_ROLLUP_CHANGED", "into" -> name, "reason" -> reason, "remedy" -> remedy)
  }

  /** A text as a string of SQL. */
  def literal(text: String): String = s"'${text.replace("\\", "\\\\").replace("'", "\\'")}'"

  def refused(condition: String, parameters: (String, String)*): AnalysisException =
    Conditions.analysisError(condition, CurrentOrigin.get, parameters: _*)
}
