package chronosketch.spark.rollup

import scala.annotation.tailrec

import org.apache.spark.sql.{DataFrame, SparkSession}

import chronosketch.spark.following.{Commit, DeltaCommit, DeltaLog, ReadErrors}
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
    val writer = replacement.inFiles.write.mode(if (replacement.isEmpty) "append" else "overwrite")
      .option("maxRecordsPerFile", RowsOfFile.toString)
    val replaced = condition.filterNot(_ => replacement.isEmpty)
    try {
      DeltaCommit("chronosketch.rollup", version + 1, progress.toJson)
        .write(session, name, replaced.fold(writer)(writer.option("replaceWhere", _)), InFiles: _*)
      DeltaLog.commits(
        session,
        name,
        Some(Recent)
      ).find(progressOf(_).exists(_.id == progress.id)).map(writtenRows)
    } catch { case e if ReadErrors.isConflict(e) => None }
  }

  def size: (Long, Long) = {
    val detail = session.sql(s"DESCRIBE DETAIL $name").select("numFiles", "sizeInBytes").head()
    (detail.getLong(0), detail.getLong(1))
  }

  def newest(rebuilding: Boolean): Either[String, StoredVersion] = {
    val recent = DeltaLog.commits(session, name, Some(Recent)).toList
    def all = DeltaLog.commits(session, name).filter(_.version <= recent.head.version).toList
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
    val steps = recent.flatMap(c => progressOf(c).map(CommittedStep(_, c.micros, writtenRows(c))))
    progress.map(StoredVersion(recent.head.version, _, steps))
  }
}

private object DeltaStore {

  /** Settings that let a question of an hour read some pages of a file instead of all. Spark's default type of timestamps has no statistics,
    * and a page of the small column of buckets would otherwise span those of many hours in the large column of sketches.
    */
  private val InFiles = Seq(
    "spark.sql.parquet.outputTimestampType" -> "TIMESTAMP_MICROS",
    "parquet.page.row.count.limit" -> RollupStore.RowsOfPage.toString
  )

  /** The most rows of a file. A step copies the files in which it replaces rows. */
  private val RowsOfFile = 20000

  /** How many commits a step reads first. Between two steps there are seldom more. */
  private val Recent = 20L

  private def progressOf(commit: Commit): Option[Progress] = commit.note.flatMap(Progress.fromJson)

  /** How many rows a commit wrote, without those that it copied because they were in one file with rows that it replaced. */
  private def writtenRows(commit: Commit): Long =
    commit.count("numOutputRows").getOrElse(0L) - commit.count("numCopiedRows").getOrElse(0L)

  private sealed trait Search
  private final case class Found(progress: Option[Progress]) extends Search
  private final case class Changed(reason: String) extends Search
  private case object ReadFurther extends Search

  /** Finds the step whose rows the newest version has, among commits, the newest first. */
  @tailrec private def find(commits: List[Commit], rebuilding: Boolean): Search =
    commits match {
      case Nil => ReadFurther
      case commit :: older if progressOf(commit).isDefined =>
        val progress = progressOf(commit)
        // a write that a step overtook is not in its rows
        val overtaken =
          older.takeWhile(_.version > progress.get.base).find(other => !DeltaLog.KeepsRows(other.operation))
        overtaken.filterNot(_ => rebuilding).fold[Search](Found(progress))(notAStep)
      case commit :: older => commit.operation match {
          case "CREATE TABLE" => Found(None)
          case "RESTORE" =>
            commit.parameters.get("version").flatMap(_.toLongOption) match {
              case Some(restored) => find(older.dropWhile(_.version > restored), rebuilding)
              case None if rebuilding => Found(None)
              case None =>
                Changed(s"RESTORE in its version ${commit.version} went to a time; restore it to a version")
            }
          case operation if DeltaLog.KeepsRows(operation) || rebuilding => find(older, rebuilding)
          case _ => notAStep(commit)
        }
    }

  private def notAStep(commit: Commit): Changed =
    Changed(s"${commit.operation} in its version ${commit.version} was not a step")
}
