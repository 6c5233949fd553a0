package chronosketch.spark.following

import scala.annotation.tailrec

import org.apache.spark.sql.DataFrame

/** The last version of a source that was read: its number, what identifies the table, and its commit time in microseconds since 1970. */
final case class LastVersion(version: Long, identity: String, micros: Long)

/** Rows with versions and the changes in each. */
private[spark] trait ChangeSource {

  /** The table's full name, which does not depend on the session's current schema. */
  def name: String

  /** The newest version when the source was opened, or -1 if there was none. */
  def latest: Long

  /** An id of the table at its newest version: the id in Delta's metadata, or Iceberg's newest snapshot. */
  def identity: String

  /** Describes how the table was replaced since a version, or None if it was not. */
  def replaced(last: LastVersion): Option[String]

  /** Refuses a table that does not record its changes, before anything is built from it. */
  def requireChanges(): Unit

  /** The commit time of a version, in microseconds since 1970. */
  def time(version: Long): Long

  /** The row images that the versions `first` to `last` added and removed, with the columns [[ChangeSource.Version]] and
    * [[ChangeSource.Copies]]: 1 for an added row, -1 for a removed one. A row that a version only copied may be both.
    */
  def changes(first: Long, last: Long): DataFrame

  /** The table as of a version. */
  def snapshot(version: Long): DataFrame
}

/** A table whose past versions can be read: a Delta table or an Iceberg table. */
private[spark] trait VersionedTable extends ChangeSource {

  /** Whether all changes since a version are known, although the table was replaced. */
  def hasChangesSince(last: LastVersion): Boolean

  /** The first version whose snapshot `fits`, with all changes from there to `latest` known. Refuses a table that records no changes. */
  def firstKnown(latest: Long, fits: DataFrame => Boolean): Long

  /** The number that a version has for a new follower. */
  def startNumber(version: Long): Long = version

  /** The commit times of the versions `first` to `last`, in microseconds since 1970. */
  def times(first: Long, last: Long): Seq[Long]

  def time(version: Long): Long = times(version, version).head

  /** About how many row images `changes` has, or None if that is unknown. */
  def images(first: Long, last: Long): Option[Long] = None
}

private[spark] object ChangeSource {
  val Version = "_commit_version"
  val Copies = "_chronosketch_copies"

  /** The first version from which everything is known. A version is complete if an earlier one is, and `high` is one. */
  private[following] def firstComplete(low: Long, high: Long)(isComplete: Long => Boolean): Long =
    if (low < high && isComplete(low)) low
    else {
      @tailrec def search(from: Long, until: Long): Long =
        if (from >= until) from
        else {
          val middle = (from + until) / 2
          if (isComplete(middle)) search(from, middle) else search(middle + 1, until)
        }
      search(low, high)
    }

  /** Whether a snapshot fits, and it and the changes since can be read. */
  private[following] def isComplete(snapshot: => DataFrame, changes: => DataFrame)(
      fits: DataFrame => Boolean
  ): Boolean =
    try {
      val rows = snapshot
      fits(rows) && {
        rows.limit(1).collect()
        changes.select(Version, Copies).limit(1).collect()
        true
      }
    } catch { case e: Throwable if ReadErrors.isUnreadable(e) => false }
}
