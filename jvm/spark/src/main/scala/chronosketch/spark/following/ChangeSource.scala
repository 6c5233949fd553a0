package chronosketch.spark.following

import org.apache.spark.sql.DataFrame

/** The last version of a source that was read: its number, what identifies the table, and its commit time in microseconds since 1970. */
final case class LastVersion(version: Long, identity: String, micros: Long)

/** A table with versions and the changes in each: a Delta table or an Iceberg table. */
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

private[spark] object ChangeSource {
  val Version = "_commit_version"
  val Copies = "_chronosketch_copies"
}
