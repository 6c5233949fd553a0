package chronosketch.spark.warehouse.manifest

/** Rows of a table, one a version, where several may add at once. */
private[manifest] trait VersionRows {

  /** Another after each change of the table, and cheap to ask for; none where there is no table. */
  def mark: Option[String]

  /** The greatest version. */
  def newest: Long

  /** The rows of a version and of all later ones, of one snapshot of the table that is no older than the last mark. */
  def from(version: Long): Seq[VersionRow]

  /** Adds a row, if no row was added as this version or a later one by anyone who gave the same name. What is not added may be passed
    * over without a word, or fail with a java.util.ConcurrentModificationException.
    */
  def add(by: String, row: VersionRow): Unit

  def deleteBefore(version: Long): Unit

  /** Where the table is. */
  def place: String
  def description: String
}

private[manifest] final case class VersionRow(version: Long, text: String)
