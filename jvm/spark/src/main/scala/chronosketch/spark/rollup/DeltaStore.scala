package chronosketch.spark.rollup

import scala.annotation.tailrec

import org.apache.spark.sql.functions._
import org.apache.spark.sql.{DataFrame, SparkSession}

import chronosketch.spark.following.{ReadErrors, Sources}
import chronosketch.spark.rollup.DeltaStore._

/** Keeps a roll-up in a Delta table. The commit of a step has its progress in `userMetadata`. */
private[rollup] final class DeltaStore(session: SparkSession, name: String) extends RollupStore {

  def creation(definition: RollupDefinition): String = {
    val columns = RollupStore.columns(definition).map { case (column, sql) => s"$column $sql" }
    s"CREATE TABLE IF NOT EXISTS $name (${columns.mkString(", ")}) USING delta PARTITIONED BY (${RollupDefinition.Level}) " +
      RollupStore.properties(definition)
  }

  def rows(version: Long): DataFrame = session.read.option("versionAsOf", version.toString).table(name)

  def commit(
      version: Long,
      replacement: Replacement,
      condition: Option[String],
      progress: Progress
  ): Option[Long] = {
    // Delta skips a transaction number that it has recorded, so of two followers that read this version only one writes.
    // Written by path: saveAsTable would replace the table and lose its properties.
    val writer = replacement.inFiles.write.format("delta")
      .mode(if (replacement.isEmpty) "append" else "overwrite")
      .option("txnAppId", "chronosketch.rollup")
      .option("txnVersion", (version + 1).toString)
      .option("userMetadata", progress.toJson)
    val replaced = condition.filterNot(_ => replacement.isEmpty)
    try {
      replaced.fold(writer)(writer.option("replaceWhere", _)).save(Sources.location(session, name))
      history(Some(Recent)).find(_.progress.exists(_.id == progress.id)).map(_.rows)
    } catch { case e if ReadErrors.isConflict(e) => None }
  }

  def size: (Long, Long) = {
    val detail = session.sql(s"DESCRIBE DETAIL $name").select("numFiles", "sizeInBytes").head()
    (detail.getLong(0), detail.getLong(1))
  }

  def newest(rebuilding: Boolean): Either[String, StoredVersion] = {
    val recent = history(Some(Recent))
    def all = history(None).filter(_.version <= recent.head.version)
    val found = find(recent, rebuilding) match {
      case ReadFurther => find(all, rebuilding)
      case other => other
    }
    val progress = found match {
      case Found(progress) => Right(progress)
      case ReadFurther if rebuilding => Right(None)
      case ReadFurther => Left("the log no longer has the commit of its last step")
      case Changed(reason) => Left(reason)
    }
    val steps = recent.flatMap(c => c.progress.map(CommittedStep(_, c.micros, c.rows)))
    progress.map(StoredVersion(recent.head.version, _, steps))
  }

  private def history(limit: Option[Int]): List[Commit] =
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
}

private object DeltaStore {

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

  private sealed trait Search
  private final case class Found(progress: Option[Progress]) extends Search
  private final case class Changed(reason: String) extends Search
  private case object ReadFurther extends Search

  /** Finds the step whose rows the newest version has, among commits, the newest first. */
  @tailrec private def find(commits: List[Commit], rebuilding: Boolean): Search =
    commits match {
      case Nil => ReadFurther
      case commit :: older if commit.progress.isDefined =>
        // a write that a step overtook is not in its rows
        val overtaken =
          older.takeWhile(_.version > commit.progress.get.base).find(other => !KeepsRows(other.operation))
        overtaken.filterNot(_ => rebuilding).fold[Search](Found(commit.progress))(notAStep)
      case commit :: older => commit.operation match {
          case "CREATE TABLE" => Found(None)
          case "RESTORE" =>
            commit.parameters.get("version").flatMap(_.toLongOption) match {
              case Some(restored) => find(older.dropWhile(_.version > restored), rebuilding)
              case None if rebuilding => Found(None)
              case None =>
                Changed(s"RESTORE in its version ${commit.version} went to a time; restore it to a version")
            }
          case operation if KeepsRows(operation) || rebuilding => find(older, rebuilding)
          case _ => notAStep(commit)
        }
    }

  private def notAStep(commit: Commit): Changed =
    Changed(s"${commit.operation} in its version ${commit.version} was not a step")
}
