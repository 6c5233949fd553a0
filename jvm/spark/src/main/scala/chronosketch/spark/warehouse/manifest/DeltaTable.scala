package chronosketch.spark.warehouse.manifest

import java.io.FileNotFoundException
import java.util.ConcurrentModificationException

import scala.annotation.tailrec

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.functions.{col, max}
import org.apache.spark.sql.types.{LongType, StringType}
import org.apache.spark.sql.{DataFrame, SaveMode, classic}

import chronosketch.Refusal
import chronosketch.spark.sql.{JobDescription, SparkPrivates}
import chronosketch.warehouse.DamagedWarehouse

/** A Delta table with one partition per version, accessed through Spark alone: nothing is compiled against Delta's classes.
  *
  * Guarantee  reads return the newest snapshot, whatever the user's session has set
  *
  * Each row is added with Delta's `txnAppId` and `txnVersion`. Delta silently ignores a write whose number it has seen before, and fails
  * one that lost a race against another. Because each version is a partition, forgetting versions only drops whole files, which conflicts
  * with no writer that adds rows.
  */
private[manifest] final class DeltaTable(folder: Path, session: classic.SparkSession, conf: Configuration)
    extends VersionTable {
  import DeltaTable._

  private lazy val fs = folder.getFileSystem(conf)

  // a copy of the session without the user's settings for data tables, such as the allowed age of a snapshot or the transaction id of writes
  private lazy val isolated: classic.SparkSession = {
    val cloned = SparkPrivates.cloned(session)
    Unset.foreach(cloned.conf.unset)
    Settings.foreach { case (key, value) => cloned.conf.set(key, value) }
    cloned
  }

  /** Identifies the state of the log: its newest file, and all files in the folders where coordinated commits wait. Each commit adds to one
    * of them.
    */
  def mark: Option[String] = {
    val log = files(new Path(folder, Log))
    val commits = log.filter(file => Commit.matches(file.getPath.getName))
    commits.maxByOption(_.getPath.getName).map { newest =>
      val waiting = log.filter(file => CoordinatedFolders(file.getPath.getName)).flatMap(coordinated =>
        files(coordinated.getPath)
      )
      (newest +: waiting.sortBy(_.getPath.getName)).map(file =>
        s"${file.getPath.getName} ${file.getLen} ${file.getModificationTime}"
      ).mkString(" ")
    }
  }

  private def files(in: Path): Seq[FileStatus] =
    try fs.listStatus(in).toSeq
    catch { case _: FileNotFoundException => Nil }

  def newestVersion: Long = reading { all =>
    val row = all.agg(max(Version)).head()
    if (row.isNullAt(0)) throw DamagedWarehouse("its manifest is a Delta table without rows")
    row.getLong(0)
  }

  def rowsFrom(version: Long): Seq[VersionRow] = reading { all =>
    all.where(col(Version) >= version).select(Version, Text).collect().toSeq
      .map(row => VersionRow(row.getLong(0), row.getString(1)))
  }

  def add(appId: String, row: VersionRow): Unit = during("write") {
    val write = isolated.createDataFrame(Seq(row)).toDF(Version, Text).coalesce(1).write.format(Delta)
      .partitionBy(Version).option("txnAppId", appId).option("txnVersion", row.version)
    // the first row creates the table or fails: the names of two concurrent creators differ, so Delta would accept both
    val mode = if (row.version == 0) SaveMode.ErrorIfExists else SaveMode.Append
    try write.mode(mode).save(folder.toString)
    catch {
      case e: SparkThrowable if mode == SaveMode.ErrorIfExists && e.getCondition == "DELTA_PATH_EXISTS" =>
        throw new ConcurrentModificationException(e.getMessage)
    }
  }

  /** Two concurrent deletes conflict. The loser tries again and finds less to delete. */
  @tailrec def deleteBefore(version: Long): Unit = {
    val isDone =
      try { delete(version); true }
      catch { case _: ConcurrentModificationException => false }
    if (!isDone) deleteBefore(version)
  }

  private def delete(before: Long): Unit = during("forget versions of") {
    val nothing = isolated.createDataFrame(Seq.empty[VersionRow]).toDF(Version, Text)
    nothing.write.format(Delta).mode(SaveMode.Overwrite).option("replaceWhere", s"$Version < $before")
      .save(folder.toString)
  }

  def path: String = folder.toString

  def description: String = {
    val scheme = fs.getUri.getScheme
    val keys = Seq(s"delta.logStore.$scheme.impl", "delta.logStore.class")
      .flatMap(key => Seq(s"spark.$key", key))
    val chosen = keys.flatMap(key => session.sparkContext.getConf.getOption(key)).headOption
    s"a Delta table, its log written by ${chosen.getOrElse(s"Delta's LogStore for $scheme:")}"
  }

  private def reading[A](body: DataFrame => A): A = during("read") {
    try {
      val all = isolated.read.format(Delta).load(folder.toString)
      if (all.schema.map(c => c.name -> c.dataType).toMap != Columns)
        throw DamagedWarehouse(s"its manifest is a Delta table with the columns ${all.schema.sql}")
      body(all)
    } catch {
      case e: Throwable with SparkThrowable if isDamage(e) =>
        throw DamagedWarehouse(e.getMessage.linesIterator.next(), e)
    }
  }

  private def during[A](action: String)(body: => A): A =
    try JobDescription.during(s"$action the manifest $folder")(body)
    catch {
      case e: Throwable with SparkThrowable if DeltaMissing(e.getCondition) =>
        throw new Refusal("CHRONOSKETCH_WAREHOUSE_NEEDS_DELTA", Map("reason" -> e.getCondition), e)
    }
}

private[manifest] object DeltaTable {
  private val Delta = "delta"
  private val Version = "version"
  private val Text = "text"
  private val Columns = Map(Version -> LongType, Text -> StringType)

  /** The folder in which Delta keeps the log of a table. */
  val Log = "_delta_log"
  private val Commit = """\d{20}\.json""".r

  /** The folders where commits wait for a commit coordinator. They are usually empty. */
  private val CoordinatedFolders = Set("_commits", "_staged_commits")

  private val Unset =
    Seq("spark.databricks.delta.write.txnAppId", "spark.databricks.delta.write.txnVersion")

  private val Settings = Seq(
    "spark.databricks.delta.stalenessLimit" -> "0",
    "spark.databricks.delta.autoCompact.enabled" -> "false",
    "spark.databricks.delta.optimizeWrite.enabled" -> "false",
    // a missing file must be an error: if it were skipped, an older state would seem to be the newest
    "spark.sql.files.ignoreMissingFiles" -> "false",
    "spark.sql.files.ignoreCorruptFiles" -> "false",
    // drop whole partitions without reading rows
    "spark.databricks.delta.replaceWhere.dataColumns.enabled" -> "false",
    // the table is small, so one task is fastest
    "spark.databricks.delta.snapshotPartitions" -> "1",
    "spark.sql.shuffle.partitions" -> "1",
    "spark.sql.adaptive.enabled" -> "false"
  )

  private val DeltaMissing =
    Set("DATA_SOURCE_NOT_FOUND", "DELTA_CONFIGURE_SPARK_SESSION_WITH_EXTENSION_AND_CATALOG")

  private def isDamage(e: SparkThrowable): Boolean = Option(e.getCondition).exists { condition =>
    !DeltaMissing(condition) && Seq("DELTA_", "FAILED_READ_FILE").exists(condition.startsWith)
  }
}
