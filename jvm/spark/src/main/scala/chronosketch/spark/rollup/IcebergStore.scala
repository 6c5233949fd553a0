package chronosketch.spark.rollup

import scala.annotation.tailrec
import scala.util.control.NonFatal

import org.apache.spark.sql.functions.lit
import org.apache.spark.sql.{DataFrame, SparkSession}

import chronosketch.spark.following.{IcebergBranches, Link, SnapshotChain, TableNames}
import chronosketch.spark.rollup.IcebergStore._
import chronosketch.spark.sql.Uninterrupted

/** Keeps a roll-up in an Iceberg table. The snapshot of a step has its progress in a property.
  *
  * A step deletes rows and appends others. So it writes both to a branch of its own, which begins at the snapshot that it read. Then it
  * moves `main` there, in one commit. This fails if `main` is no longer at the snapshot that the branch begins with.
  */
private[rollup] final class IcebergStore(session: SparkSession, table: String) extends RollupStore {
  private val name = TableNames.full(session, table)

  /** A query without rows, because a table that is created from one has a first snapshot. */
  def creation(definition: RollupDefinition): String = {
    val columns = RollupStore.columns(definition).map { case (column, sql) =>
      s"CAST(NULL AS $sql) AS $column"
    }
    s"CREATE TABLE IF NOT EXISTS $name USING iceberg PARTITIONED BY (${RollupDefinition.Level}) " +
      s"${RollupStore.properties(definition, InFiles: _*)} AS SELECT ${columns.mkString(", ")} WHERE false"
  }

  def rows(version: Long): DataFrame = session.read.option("versionAsOf", version.toString).table(name)

  def newest(rebuilding: Boolean): Either[String, StoredVersion] = {
    new IcebergBranches(session, name).refresh()
    val links = SnapshotChain.read(session, name).links.reverse.toList
    val steps = links.flatMap(link => progressOf(link).map(CommittedStep(_, link.micros, addedRows(link))))
    for {
      newest <- links.headOption.toRight("it has no snapshot")
      progress <- find(links, rebuilding)
    } yield StoredVersion(newest.id, progress, steps.take(MostSteps))
  }

  def commit(
      version: Long,
      replacement: Replacement,
      condition: Option[String],
      progress: Progress
  ): Option[Long] = {
    val branches = new IcebergBranches(session, name)
    val branch = s"chronosketch_${progress.id.replace("-", "")}"
    try {
      branches.create(branch, version)
      write(s"$name.branch_$branch", replacement, condition, progress)
      if (branches.publish(branch, version, LastStep)) stepped(progress) else None
    } catch {
      case NonFatal(e) =>
        branches.refresh()
        // the commit may have succeeded although its answer was lost
        stepped(progress).map(Some(_)).getOrElse {
          if (branches.newest.contains(version)) throw e else None
        }
    } finally Uninterrupted.run(branches.drop(branch))
  }

  private def write(
      branch: String,
      replacement: Replacement,
      condition: Option[String],
      progress: Progress
  ): Unit = {
    // Iceberg would collect the rows of a level in one file
    val writer = replacement.inFiles.writeTo(branch).option(s"snapshot-property.$Property", progress.toJson)
      .option("distribution-mode", "none")
    condition match {
      case None => writer.overwrite(lit(true))
      case Some(replaced) =>
        if (!replacement.isEmpty) session.sql(s"DELETE FROM $branch WHERE $replaced")
        writer.append()
    }
  }

  /** How many rows a step wrote, if the table has it. */
  private def stepped(progress: Progress): Option[Long] =
    SnapshotChain.read(session, name).links.find(progressOf(_).exists(_.id == progress.id)).map(addedRows)

  def size: (Long, Long) = {
    val files = session.sql(s"SELECT count(*), coalesce(sum(file_size_in_bytes), 0) FROM $name.files").head()
    (files.getLong(0), files.getLong(1))
  }
}

private object IcebergStore {

  /** The property of a snapshot that has the progress of its step. */
  private val Property = "chronosketch.rollup"

  /** The tag of the last step's snapshot: it does not expire, however often files are compacted after it. */
  private val LastStep = "chronosketch_last_step"

  /** A question of an hour reads pages of few rows, and a step copies the files in which it replaces rows. */
  private val InFiles = Seq(
    "write.parquet.page-row-limit" -> RollupStore.RowsOfPage.toString,
    "write.target-file-size-bytes" -> "33554432"
  )

  private val MostSteps = 20

  private def progressOf(link: Link): Option[Progress] =
    link.summary.get(Property).flatMap(Progress.fromJson)

  private def addedRows(link: Link): Long = count(link, "added-records")

  private def count(link: Link, metric: String): Long =
    link.summary.get(metric).flatMap(_.toLongOption).getOrElse(0L)

  private val Changing = Seq(
    "added-records",
    "deleted-records",
    "added-delete-files",
    "added-position-deletes",
    "added-equality-deletes",
    "removed-position-deletes",
    "removed-equality-deletes"
  )

  private def keepsRows(link: Link): Boolean = link.compacts || Changing.forall(count(link, _) == 0)

  /** Finds the step whose rows the newest snapshot has, among snapshots, the newest first. All between a step's snapshot and the one that it
    * read are of the step itself.
    */
  @tailrec private def find(links: List[Link], rebuilding: Boolean): Either[String, Option[Progress]] =
    links match {
      case link :: _ if progressOf(link).isDefined => Right(progressOf(link))
      case link :: _ if !keepsRows(link) && !rebuilding =>
        Left(s"${link.operation} in its snapshot ${link.id} was not a step")
      case link :: Nil if link.parent.isEmpty || rebuilding => Right(None)
      case _ :: Nil => Left("the snapshot of its last step has expired")
      case _ :: older => find(older, rebuilding)
      case Nil => Right(None)
    }
}
