package chronosketch.spark.rollup

import java.util.UUID

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.functions._
import org.apache.spark.sql.{AnalysisException, DataFrame, SparkSession}

import chronosketch.spark.following.{LastVersion, ReadErrors, Sources}
import chronosketch.spark.rollup.RollupDefinition.mapper
import chronosketch.spark.rollup.RollupTable._
import chronosketch.spark.sql.Conditions

/** The state of a roll-up after a step. The commit of the step has it as JSON in `userMetadata`.
  *
  * @param step
  *   the number of the step, from 1
  * @param source
  *   the source's version up to which all changes are in the roll-up
  * @param base
  *   the version of the roll-up's own table that the step read
  * @param begins
  *   the levels that have lost old rows, with the start of the first bucket that they have
  * @param kind
  *   'begin', 'refresh', 'rebuild' or 'batch'
  */
final case class Progress(
    id: String,
    step: Long,
    source: LastVersion,
    base: Long,
    begins: Map[String, Long],
    kind: String
) {
  def toJson: String = {
    val json = mapper.createObjectNode()
    json.put("chronosketch", "rollup").put("format", RollupDefinition.Format).put("id", id).put("step", step)
    json.put(
      "base",
      base
    ).put("version", source.version).put("table", source.identity).put("micros", source.micros)
    val levels = json.putObject("begins")
    begins.toSeq.sorted.foreach { case (level, begin) => levels.put(level, begin) }
    mapper.writeValueAsString(json.put("kind", kind))
  }
}

object Progress {
  def newId(): String = UUID.randomUUID().toString

  /** Reads the progress from a commit's `userMetadata`, or returns None for any other text. */
  def fromJson(text: String): Option[Progress] =
    try {
      val json = mapper.readTree(text)
      Option.when(
        json.get("chronosketch").asText == "rollup" && json.get("format").asInt == RollupDefinition.Format
      ) {
        val last =
          LastVersion(json.get("version").asLong, json.get("table").asText, json.get("micros").asLong)
        val begins = Map.newBuilder[String, Long]
        val levels = json.get("begins")
        levels.fieldNames.forEachRemaining(level => begins += level -> levels.get(level).asLong)
        Progress(
          json.get("id").asText,
          json.get("step").asLong,
          last,
          json.get("base").asLong,
          begins.result(),
          json.get("kind").asText
        )
      }
    } catch { case NonFatal(_) => None }
}

/** A step, the time of its commit in micros, and how many rows it wrote. */
final case class CommittedStep(progress: Progress, micros: Long, rows: Long)

/** A roll-up's Delta table at one of its own versions.
  *
  * @param version
  *   the table's version
  * @param progress
  *   the step whose rows the table has, or None if no step was made
  * @param steps
  *   the last steps, the newest first
  */
final class RollupTable private (
    session: SparkSession,
    val name: String,
    val definition: RollupDefinition,
    val version: Long,
    val progress: Option[Progress],
    val steps: Seq[CommittedStep]
) {

  /** The rows at this version. */
  def rows: DataFrame = session.read.option("versionAsOf", version.toString).table(name)

  /** Writes a step in one commit. Returns how many rows it wrote, or None if another follower was faster and nothing was written. */
  def commit(replacement: Replacement, progress: Progress): Option[Long] = {
    // Delta skips a transaction number that it has recorded, so of two followers that read this version only one writes.
    // Written by path: saveAsTable would replace the table and lose its properties.
    val writer = replacement.inFiles.write.format("delta")
      .mode(if (replacement.isEmpty) "append" else "overwrite")
      .option("txnAppId", "chronosketch.rollup")
      .option("txnVersion", (version + 1).toString)
      .option("userMetadata", progress.toJson)
    val condition = replacement.condition(definition).filterNot(_ => replacement.isEmpty)
    try {
      condition.fold(writer)(writer.option("replaceWhere", _)).save(Sources.location(session, name))
      history(session, name, Some(Recent)).find(_.progress.exists(_.id == progress.id)).map(_.rows)
    } catch { case e if ReadErrors.isConflict(e) => None }
  }
}

object RollupTable {

  /** How many commits a step reads first. Between two steps there are seldom more. */
  private val Recent = 20

  /** Operations that leave the rows of a table as they are. */
  private val KeepsRows = Set(
    "OPTIMIZE",
    "VACUUM START",
    "VACUUM END",
    "SET TBLPROPERTIES",
    "UNSET TBLPROPERTIES",
    "COMPUTE STATS",
    "REORG",
    "ADD CONSTRAINT",
    "DROP CONSTRAINT",
    "CHANGE COLUMN",
    "CLUSTER BY",
    "UPGRADE PROTOCOL",
    "FSCK"
  )

  private final case class Commit(
      version: Long,
      micros: Long,
      operation: String,
      parameters: Map[String, String],
      progress: Option[Progress],
      rows: Long
  )

  private def history(session: SparkSession, name: String, limit: Option[Int]): List[Commit] =
    session.sql(s"DESCRIBE HISTORY $name ${limit.fold("")(n => s"LIMIT $n")}")
      .select(
        col("version"),
        unix_micros(col("timestamp")),
        col("operation"),
        col("operationParameters"),
        col("userMetadata"),
        col("operationMetrics")("numOutputRows")
      )
      .collect().toList.map { row =>
        val parameters = Option(row.getMap[String, String](3)).fold(Map.empty[String, String])(_.toMap)
        val progress = Option(row.getString(4)).flatMap(Progress.fromJson)
        val rows = Option(row.getString(5)).flatMap(_.toLongOption).getOrElse(0L)
        Commit(row.getLong(0), row.getLong(1), row.getString(2), parameters, progress, rows)
      }

  /** Creates the table without rows if it doesn't exist. */
  def create(session: SparkSession, name: String, definition: RollupDefinition): Unit = {
    val columns =
      definition.schema.map(f => s"${QuotingUtils.quoteIdentifier(f.name)} ${f.dataType.sql}").mkString(", ")
    val create =
      s"CREATE TABLE IF NOT EXISTS $name ($columns) USING delta PARTITIONED BY (${RollupDefinition.Level}) " +
        s"TBLPROPERTIES ('${RollupDefinition.Property}' = ${literal(definition.toJson)})"
    try { session.sql(create); () }
    catch {
      case e if ReadErrors.isConflict(e) && Sources.exists(session, name) => ()
    } // another follower was faster
  }

  /** The definition that a table's property has. */
  def definitionOf(session: SparkSession, name: String): RollupDefinition = {
    if (!Sources.exists(session, name)) throw refused("CHRONOSKETCH_ROLLUP_NOT_FOUND", "into" -> name)
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
    val recent = history(session, name, Some(Recent))
    def changed(reason: String): Nothing = throw refuseChanged(name, definition, reason)
    val progress = find(recent, rebuilding)(changed) match {
      case Found(progress) => progress
      case ReadFurther => find(
          history(session, name, None).filter(_.version <= recent.head.version),
          rebuilding
        )(changed) match {
          case Found(progress) => progress
          case ReadFurther =>
            if (rebuilding) None else changed("the log no longer has the commit of its last step")
        }
    }
    val steps = recent.flatMap(c => c.progress.map(CommittedStep(_, c.micros, c.rows)))
    new RollupTable(session, name, definition, recent.head.version, progress, steps)
  }

  private sealed trait Search
  private final case class Found(progress: Option[Progress]) extends Search
  private case object ReadFurther extends Search

  /** Finds the step whose rows the newest version has, among commits, the newest first. */
  @tailrec private def find(commits: List[Commit], rebuilding: Boolean)(changed: String => Nothing): Search =
    commits match {
      case Nil => ReadFurther
      case commit :: older if commit.progress.isDefined =>
        // a write that a step overtook is not in its rows
        val overtaken =
          older.takeWhile(_.version > commit.progress.get.base).find(other => !KeepsRows(other.operation))
        if (!rebuilding) overtaken.foreach(other => changed(notAStep(other)))
        Found(commit.progress)
      case commit :: older => commit.operation match {
          case "CREATE TABLE" => Found(None)
          case "RESTORE" =>
            commit.parameters.get("version").flatMap(_.toLongOption) match {
              case Some(restored) => find(older.dropWhile(_.version > restored), rebuilding)(changed)
              case None if rebuilding => Found(None)
              case None =>
                changed(s"RESTORE in its version ${commit.version} went to a time; restore it to a version")
            }
          case operation if KeepsRows(operation) || rebuilding => find(older, rebuilding)(changed)
          case _ => changed(notAStep(commit))
        }
    }

  private def notAStep(commit: Commit): String =
    s"${commit.operation} in its version ${commit.version} was not a step"

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
