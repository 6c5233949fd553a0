package chronosketch.spark.following

import java.net.URI

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** Finds out which files of a Delta table's snapshots and changes VACUUM has left. It only checks that they exist: a failed read would
  * write errors into Spark's log although nothing is wrong.
  */
private[following] object DeltaFiles {

  private val Actions = "remove STRUCT<path: STRING>, cdc STRUCT<path: STRING>"

  /** A path in the log is relative to the table's folder, unless it begins with a scheme or a slash. */
  private val Absolute = "(?:[A-Za-z][A-Za-z0-9+.-]*:|/).*".r

  /** The first version since which no file of a snapshot or a change was deleted. A file that version n removed belongs to earlier
    * snapshots, and a file of the change feed to its own version: if one is missing, version n is the first at the earliest.
    *
    * @param versions
    *   the versions in the log, the oldest first
    * @param isFeed
    *   whether the files of the change feed must exist too
    * @return
    *   the oldest version if the log cannot be read like this; then only reading can tell
    */
  def firstKept(session: SparkSession, location: String, versions: Seq[Long], isFeed: Boolean): Long =
    try {
      val files = filesOf(session, location, versions.tail, isFeed)
      ChangeSource.firstComplete(versions.head, versions.last)(version =>
        exist(session, files.collect { case (number, path) if number > version => path }.distinct)
      )
    } catch { case e: Throwable if ReadErrors.isMissing(e) => versions.head }

  private def filesOf(
      session: SparkSession,
      location: String,
      versions: Seq[Long],
      isFeed: Boolean
  ): Seq[(Long, String)] =
    if (versions.isEmpty) Nil
    else {
      val paths = if (isFeed) "coalesce(remove.path, cdc.path)" else "remove.path"
      session.read.schema(Actions)
        .json(versions.map(version => f"$location/_delta_log/$version%020d.json"): _*)
        .selectExpr("CAST(substring_index(_metadata.file_name, '.', 1) AS BIGINT)", s"$paths AS path")
        .where("path IS NOT NULL").collect().toSeq
        .map(row => row.getLong(0) -> absolute(location, new Path(new URI(row.getString(1))).toString))
    }

  private def absolute(location: String, path: String): String =
    if (Absolute.matches(path)) path else s"$location/$path"

  /** Whether all files exist. Spark checks that when it is given their names. */
  private def exist(session: SparkSession, paths: Seq[String]): Boolean =
    paths.isEmpty || {
      try {
        // without globbing, "*" and "[" in a folder's name are literal
        session.read.format("binaryFile").option("__globPaths__", "false").load(paths: _*).schema
        true
      } catch { case e: Throwable if ReadErrors.isMissing(e) => false }
    }
}
