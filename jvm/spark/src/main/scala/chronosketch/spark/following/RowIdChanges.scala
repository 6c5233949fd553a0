package chronosketch.spark.following

import java.lang.reflect.InvocationTargetException

import org.apache.spark.sql.{DataFrame, DataFrameReader, Row, SparkSession}

/** Derives a Delta table's changes from row ids with Spark's CHANGES. It came with Spark 4.2, so it is called by reflection. */
private[following] object RowIdChanges {

  /** Delta's own setting for CHANGES. It is off by default. */
  private val Switch = "spark.databricks.delta.changelogV2.enabled"

  private lazy val reader = classOf[DataFrameReader].getMethods
    .find(method => method.getName == "changes" && method.getParameterTypes.toSeq == Seq(classOf[String]))

  /** Whether the session has CHANGES and the table's rows have ids that it finds. `detail` is a row of DESCRIBE DETAIL. */
  def isOn(session: SparkSession, detail: Row): Boolean =
    reader.nonEmpty && tracksRows(detail) &&
      session.conf.getOption(Switch).exists(_.equalsIgnoreCase("true"))

  /** A sentence that proposes CHANGES, or nothing if they would not work. */
  def hint(detail: Row): String =
    if (reader.isEmpty || !tracksRows(detail)) ""
    else
      s" Or let Spark's CHANGES tell what changed, since the table tracks its rows: SET $Switch = true"

  private def tracksRows(detail: Row): Boolean = {
    val properties = detail.getMap[String, String](detail.fieldIndex("properties"))
    def property(name: String): String = properties.getOrElse(name, "").toLowerCase(java.util.Locale.ROOT)
    val isTracked = property("delta.enableRowTracking") == "true"
    // In Delta 4.4, CHANGES finds no ids if columns are mapped, and it reads partition values from the data files, which not every writer
    // stores there.
    val isMapped = !Set("", "none")(property("delta.columnMapping.mode"))
    isTracked && !isMapped && detail.getSeq[String](detail.fieldIndex("partitionColumns")).isEmpty
  }

  /** Added and removed rows with `_change_type` and `_commit_version`. `commits` are all versions to read, the oldest first.
    *
    * Rows that were only copied appear as deleted and inserted: adding them up is cheaper than comparing them by id, as Spark would.
    */
  def read(session: SparkSession, table: String, commits: Seq[Commit]): DataFrame = {
    // Delta 4.4 reads a whole range with the settings of its first version. If deletion vectors were enabled later, it would miss the rows
    // that they delete. So split the range where settings can change.
    val starts = commits.head.version +:
      commits.tail.filterNot(commit => DeltaLog.RowsOnly(commit.operation)).map(_.version)
    val ends = starts.tail.map(_ - 1) :+ commits.last.version
    starts.zip(ends).map { case (first, last) => between(session, table, first, last) }
      .reduce((a, b) => a.unionByName(b, allowMissingColumns = true))
  }

  private def between(session: SparkSession, table: String, first: Long, last: Long): DataFrame = {
    val options = session.read.option("startingVersion", first).option("endingVersion", last)
      .option("deduplicationMode", "none")
    try reader.get.invoke(options, table).asInstanceOf[DataFrame].drop("_metadata")
    catch { case e: InvocationTargetException => throw e.getCause }
  }
}
