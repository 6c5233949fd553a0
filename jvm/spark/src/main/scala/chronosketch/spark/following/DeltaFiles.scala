package chronosketch.spark.following

import java.net.URI

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession

/** Finds out which files of a Delta table's snapshots and changes VACUUM has left. It only checks that they exist: a failed read would
  * write errors into Spark's log although nothing is wrong.
  */
private[following] object DeltaFiles {

  private val Actions = "add STRUCT<path: STRING, dataChange: BOOLEAN>, " +
    "remove STRUCT<path: STRING, dataChange: BOOLEAN>, cdc STRUCT<path: STRING>"

  private val Add = "add"
  private val Remove = "remove"
  private val Feed = "cdc"

  /** A file that a version added, removed or wrote into the change feed.
    *
    * @param changesRows
    *   whether rows came or went with it. OPTIMIZE only moves them
    */
  private final case class FileAction(version: Long, kind: String, path: String, changesRows: Boolean)

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
      val files = actions(session, location, versions.tail, if (isFeed) Seq(Remove, Feed) else Seq(Remove))
      ChangeSource.firstComplete(versions.head, versions.last)(version =>
        exist(session, files.filter(_.version > version))
      )
    } catch { case e: Throwable if ReadErrors.isMissing(e) => versions.head }

  /** Whether the files of a snapshot are left that later versions removed. Deletion vectors are not checked.
    *
    * @param later
    *   the versions after the snapshot's
    * @return
    *   true if the log cannot be read like this
    */
  def hasSnapshot(session: SparkSession, location: String, later: Seq[Long]): Boolean = orUnknown {
    val files = actions(session, location, later, Seq(Add, Remove))
    val added = files.filter(_.kind == Add).map(_.path).toSet
    exist(session, files.filter(file => file.kind == Remove && !added(file.path)))
  }

  /** Whether the files are left that the change feed of some versions is read from: those written for it or, if a version has none, its
    * data files. Deletion vectors are not checked.
    *
    * @return
    *   true if the log cannot be read like this
    */
  def hasFeed(session: SparkSession, location: String, versions: Seq[Long]): Boolean = orUnknown {
    val files = actions(session, location, versions, Seq(Add, Remove, Feed))
    val written = files.filter(_.kind == Feed).map(_.version).toSet
    exist(
      session,
      files.filter(file => if (written(file.version)) file.kind == Feed else file.changesRows)
    )
  }

  private def orUnknown(body: => Boolean): Boolean =
    try body
    catch { case e: Throwable if ReadErrors.isMissing(e) => true }

  private def actions(
      session: SparkSession,
      location: String,
      versions: Seq[Long],
      kinds: Seq[String]
  ): Seq[FileAction] =
    if (versions.isEmpty) Nil
    else session.read.schema(Actions)
      .json(versions.map(version => f"$location/_delta_log/$version%020d.json"): _*)
      .selectExpr(
        "CAST(substring_index(_metadata.file_name, '.', 1) AS BIGINT)",
        s"CASE WHEN add.path IS NOT NULL THEN '$Add' WHEN remove.path IS NOT NULL THEN '$Remove' ELSE '$Feed' END AS kind",
        "coalesce(add.path, remove.path, cdc.path) AS path",
        "coalesce(add.dataChange, remove.dataChange, true)"
      )
      .where(kinds.mkString("path IS NOT NULL AND kind IN ('", "', '", "')")).collect().toSeq
      .map { row =>
        val path = absolute(location, new Path(new URI(row.getString(2))).toString)
        FileAction(row.getLong(0), row.getString(1), path, row.getBoolean(3))
      }

  private def absolute(location: String, path: String): String =
    if (Absolute.matches(path)) path else s"$location/$path"

  /** Whether all files exist. Spark checks that when it is given their names. */
  private def exist(session: SparkSession, files: Seq[FileAction]): Boolean = {
    val paths = files.map(_.path).distinct
    paths.isEmpty || {
      try {
        // without globbing, "*" and "[" in a folder's name are literal
        session.read.format("binaryFile").option("__globPaths__", "false").load(paths: _*).schema
        true
      } catch { case e: Throwable if ReadErrors.isMissing(e) => false }
    }
  }
}
