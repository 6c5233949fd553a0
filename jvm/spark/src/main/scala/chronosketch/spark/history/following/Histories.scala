package chronosketch.spark.history.following

import org.apache.spark.sql.catalyst.util.DateTimeUtils.microsToInstant
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkSession}

import chronosketch.spark.history.following.HistoryStep.{Made, NothingNew}
import chronosketch.spark.history.following.HistoryTable.{Change, Open, Sealed, Step}
import chronosketch.spark.sql.Conditions

/** Follows tables with histories, and reads the versions that a history has. */
private[following] object Histories {

  /** How often a step is tried again after another follower was faster. */
  private val Attempts = 5

  /** Makes a step. Returns None if the history has all versions. */
  def follow(session: SparkSession, plan: FollowPlan, limits: FollowLimits = FollowLimits()): Option[Made] =
    retrying(plan.into)(HistoryStep.open(session, plan, limits).make())

  private[following] def retrying(into: String)(attempt: => HistoryStep.Result): Option[Made] =
    Iterator.continually(attempt).take(Attempts).collectFirst {
      case made: Made => Some(made)
      case NothingNew => None
    }.getOrElse(throw Conditions.refusal(
      "CHRONOSKETCH_CONCURRENT_FOLLOWER",
      "into" -> into,
      "attempts" -> Attempts.toString
    ))

  /** The sketches of each group that has values at a version. A history without groups always has a row. */
  def at(
      session: SparkSession,
      into: String,
      version: Long,
      limits: FollowLimits = FollowLimits()
  ): DataFrame = {
    val (table, progress) = opened(session, into)
    at(table, progress, into, version, limits)
  }

  /** The sketches of the last version that was committed by a moment, in microseconds since 1970. */
  def atMoment(session: SparkSession, into: String, micros: Long): DataFrame = {
    val (table, progress) = opened(session, into)
    at(table, progress, into, versionAt(table, into, micros), FollowLimits())
  }

  private def opened(session: SparkSession, into: String): (HistoryTable, Progress) = {
    val table = HistoryTable.open(session, into)
    table.progress.map(table -> _)
      .getOrElse(throw Conditions.refusal("CHRONOSKETCH_NO_HISTORY", "into" -> into))
  }

  private def at(
      table: HistoryTable,
      progress: Progress,
      into: String,
      version: Long,
      limits: FollowLimits
  ): DataFrame = {
    if (version < progress.first || version > progress.last)
      throw FollowRefusals.noSuchVersion(
        into,
        progress.first,
        progress.last,
        version,
        "Ask for one of these, or follow the table up to a newer one."
      )
    // if a group has no late changes, its sketch ends before the version
    val sketch = expr(
      s"sketch_at_version(sketch, least(CAST($version AS BIGINT), sketch_versions(sketch).last)) AS sketch"
    )
    val groups = progress.definition.groups
    val sketches = histories(table, progress, version, limits).select(groups.map(col) :+ sketch: _*)
    if (groups.isEmpty) sketches else sketches.where("sketch_count_bounds(sketch).high > 0")
  }

  private def histories(
      table: HistoryTable,
      progress: Progress,
      version: Long,
      limits: FollowLimits
  ): DataFrame = {
    val (segment, definition) = (progress.segment, progress.definition)
    if (version < segment.since)
      table.rows(Sealed).where(col("from_version") <= version && col("to_version") >= version)
    else if (version <= segment.built || segment.waiting == 0) table.rows(Open)
    else {
      val changes = table.rows(Change).where(col("version") <= version)
        .select((definition.groups ++ Seq("version", "value", "copies")).map(col): _*)
      new OpenRows(definition, segment, Some(table.rows(Open)), changes, limits).upTo(version)
    }
  }

  private def versionAt(table: HistoryTable, into: String, micros: Long): Long = {
    val versions = table.rows(Step).select(explode(col("step.versions")).as("v"))
      .select(col("v.version"), unix_micros(col("v.ts")).as("micros"), col("v.ts"))
    val found = versions.agg(
      max(when(col("micros") <= micros, col("version"))),
      max(col("micros")) >= micros,
      min(col("ts")).cast("string"),
      max(col("ts")).cast("string")
    ).head()
    if (found.isNullAt(0) || !found.getBoolean(1)) throw Conditions.refusal(
      "CHRONOSKETCH_TIMESTAMP_OUT_OF_RANGE",
      "into" -> into,
      "first" -> found.getString(2),
      "last" -> found.getString(3),
      "asked" -> microsToInstant(micros).toString
    )
    found.getLong(0)
  }
}
