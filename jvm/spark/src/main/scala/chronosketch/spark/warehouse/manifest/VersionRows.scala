package chronosketch.spark.warehouse.manifest

/** A table with one row per version, to which several writers may add at the same time. */
private[manifest] trait VersionRows {

  /** A mark that differs after each change of the table and is cheap to read; empty if there is no table. */
  def mark: Option[String]

  /** The greatest version. */
  def newest: Long

  /** The rows of a version and all later ones, from one snapshot that is at least as new as the last mark. */
  def from(version: Long): Seq[VersionRow]

  /** Adds a row, unless one of the same version or a later one was added under the same name `by`. A row that is not added may be ignored
    * silently, or fail with a java.util.ConcurrentModificationException.
    */
  def add(by: String, row: VersionRow): Unit

  def deleteBefore(version: Long): Unit

  /** The path of the table. */
  def place: String
  def description: String
}

private[manifest] final case class VersionRow(version: Long, text: String)
