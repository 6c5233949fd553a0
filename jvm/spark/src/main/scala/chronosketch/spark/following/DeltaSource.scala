package chronosketch.spark.following

import org.apache.spark.sql.functions.{col, when}
import org.apache.spark.sql.types.LongType
import org.apache.spark.sql.{AnalysisException, DataFrame, Row, SparkSession}

/** A Delta table as a source: versions and times from its log, changes from its feed or by row ids. */
private[following] final class DeltaSource(val name: String, session: SparkSession, last: Option[LastVersion])
    extends VersionedTable {
  import DeltaSource._

  private var known = DeltaLog.commits(session, name, Some(Recent))

  val latest: Long = known.head.version

  // Cheaper than DESCRIBE DETAIL, which counts the table's files.
  private lazy val keepsFeed: Boolean =
    session.sql(s"SHOW TBLPROPERTIES $name").collect().exists(row =>
      row.getString(0) == "delta.enableChangeDataFeed" && row.getString(1).equalsIgnoreCase("true")
    )

  // Read after the newest version, so that it is at least as new.
  private lazy val detail: Row = session.sql(s"DESCRIBE DETAIL $name").head()
  private def location: String = detail.getAs[String]("location")

  /** The id in the table's metadata. It changes with REPLACE, and with DROP and CREATE. */
  lazy val identity: String = last.filter(onlyRowsChangedSince).fold(detail.getAs[String]("id"))(_.identity)

  /** Whether only rows have changed since a version, by the log. Then the id is the same. */
  private def onlyRowsChangedSince(last: LastVersion): Boolean = {
    val since = known.filter(_.version >= last.version)
    // no other table has a commit of this version and time
    since.lastOption.exists(commit => commit.version == last.version && commit.micros == last.micros) &&
    since.init.forall(commit => DeltaLog.RowsOnly(commit.operation))
  }

  def replaced(last: LastVersion): Option[String] =
    if (last.identity != identity)
      Some(s"its id was ${last.identity} up to version ${last.version} and is $identity now.")
    else if (latest < last.version)
      Some(s"version ${last.version} was read, and its latest version is $latest now.")
    else None

  /** Whether the version is still in the log. REPLACE keeps the log, DROP does not. */
  def hasChangesSince(last: LastVersion): Boolean = latest >= last.version && {
    try {
      val micros = time(last.version)
      last.micros - SameCommit <= micros && micros <= last.micros
    } catch { case e: AnalysisException if e.getCondition == ReadErrors.LogGone => false }
  }

  def firstKnown(latest: Long, fits: DataFrame => Boolean): Long = {
    requireChanges()
    known = DeltaLog.commits(session, name)
    val versions = known.map(_.version).filter(_ <= latest).reverse
    readers.foldLeft(latest) { (first, reader) =>
      val kept = DeltaFiles.firstKept(session, location, versions, reader.isFeed)
      ChangeSource.firstComplete(math.min(kept, first), first)(version =>
        ChangeSource.isComplete(snapshot(version), signed(reader.read(version + 1, latest)))(fits)
      )
    }
  }

  def requireChanges(): Unit =
    if (readers.isEmpty)
      throw ReadErrors.refusal(
        ReadErrors.FeedOff,
        name,
        "it keeps no change feed.",
        s"Switch it on: ALTER TABLE $name SET TBLPROPERTIES (delta.enableChangeDataFeed = true)." +
          RowIdChanges.hint(detail)
      )

  def times(first: Long, last: Long): Seq[Long] = log(first, last).map(_.micros)

  /** Adds up the row images that the commits report. Spark's CHANGES also returns rows that were only copied. */
  override def images(first: Long, last: Long): Option[Long] = {
    val counts = log(first, last).map(_.images)
    Option.when(keepsFeed && counts.forall(_.nonEmpty))(counts.flatten.sum)
  }

  def changes(first: Long, last: Long): DataFrame = {
    ReadErrors.refuseToSkipFiles(session, name)
    signed(readChanges(first, last))
  }

  /** Counts pre-images and deletes as -1, post-images and inserts as 1. */
  private def signed(images: DataFrame): DataFrame = {
    val isRemoved = col("_change_type").isin("delete", "update_preimage")
    images.withColumn(ChangeSource.Copies, when(isRemoved, -1L).otherwise(1L))
      .withColumn(ChangeSource.Version, col(ChangeSource.Version).cast(LongType))
      .drop("_change_type", "_commit_timestamp")
  }

  def snapshot(version: Long): DataFrame = {
    ReadErrors.refuseToSkipFiles(session, name)
    val later = if (version < latest) log(version + 1, latest) else Nil
    if (later.exists(isVacuum) && !DeltaFiles.hasSnapshot(session, location, later.map(_.version)))
      throw ReadErrors.filesGone(name, version, latest)
    // without a version, a DataFrame would see later writes
    session.read.option("versionAsOf", version).table(name)
  }

  /** Uses the first reader that can read these versions. The last one may throw its error. */
  private def readChanges(first: Long, last: Long): DataFrame = {
    val allowed = if (readers.isEmpty) Seq(Reader(isFeed = true, byFeed)) else readers
    allowed.init.iterator.flatMap(attempt(_, first, last)).nextOption()
      .getOrElse(allowed.last.read(first, last))
  }

  private def attempt(reader: Reader, first: Long, last: Long): Option[DataFrame] =
    try {
      val changes = reader.read(first, last)
      changes.select(ChangeSource.Version).limit(1).collect()
      Some(changes)
    } catch { case e: Throwable if ReadErrors.isUnreadable(e) => None }

  /** The readers of changes that this table allows now, the cheapest first. */
  private lazy val readers: Seq[Reader] =
    Seq(Reader(isFeed = true, byFeed)).filter(_ => keepsFeed) ++
      Seq(Reader(isFeed = false, byRowId)).filter(_ => RowIdChanges.isOn(session, detail))

  private def byFeed(first: Long, last: Long): DataFrame = {
    val commits = log(first, last)
    refuseRenamedColumns(commits)
    // Ask before a job fails on a file that is gone. A commit without images is not read.
    if (known.exists(commit => commit.version >= first && isVacuum(commit))) {
      val read = commits.filterNot(_.images.contains(0L)).map(_.version)
      if (!DeltaFiles.hasFeed(session, location, read)) throw ReadErrors.filesGone(name, first, last)
    }
    session.read.option("readChangeFeed", "true").option("startingVersion", first)
      .option("endingVersion", last).table(name)
  }

  private def byRowId(first: Long, last: Long): DataFrame = {
    val commits = log(first, last)
    refuseRenamedColumns(commits)
    RowIdChanges.read(session, name, commits)
  }

  private def refuseRenamedColumns(commits: Seq[Commit]): Unit = {
    val renaming = commits.filter(commit => DeltaLog.Renaming(commit.operation))
    if (renaming.nonEmpty)
      throw ReadErrors.refusal(
        ReadErrors.SchemaChanged,
        name,
        renaming.map(commit => s"${commit.operation} at version ${commit.version}").mkString("", ", ", ".")
      )
  }

  /** Whether a commit says that files may have been deleted. */
  private def isVacuum(commit: Commit): Boolean = commit.operation.startsWith("VACUUM")

  /** The commits of these versions, the oldest first. */
  private def log(first: Long, last: Long): Seq[Commit] = {
    val count = last - first + 1
    def found: Seq[Commit] =
      known.filter(commit => first <= commit.version && commit.version <= last).reverse
    // the table may have new versions since: then read its whole log
    Seq(Some(count), None).foreach(limit =>
      if (found.size < count) known = DeltaLog.commits(session, name, limit)
    )
    if (found.size < count)
      throw ReadErrors.refusal(
        ReadErrors.LogGone,
        name,
        s"it has only ${found.size} of the versions $first to $last. The others were cleaned up before they were read."
      )
    found
  }
}

private object DeltaSource {

  /** Reads the changes of a range of versions, from the feed or by row ids. */
  final case class Reader(isFeed: Boolean, read: (Long, Long) => DataFrame)

  // Most steps add few versions. This many are read together with the newest version.
  private val Recent = 5L

  // The most microseconds that a follower may add to a commit's time to keep times increasing.
  private val SameCommit = 1000000L
}
