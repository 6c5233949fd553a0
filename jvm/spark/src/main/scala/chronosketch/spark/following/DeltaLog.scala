package chronosketch.spark.following

import org.apache.spark.sql.SparkSession

/** A version of a Delta table: its commit time in microseconds since 1970, and its operation. */
private[following] final case class Commit(version: Long, micros: Long, operation: String)

/** Reads the log of a Delta table with SQL. */
private[following] object DeltaLog {

  /** Operations that change rows but keep the table's id and properties. */
  val RowsOnly: Set[String] = Set(
    "ADD COLUMNS",
    "DELETE",
    "MERGE",
    "OPTIMIZE",
    "STREAMING UPDATE",
    "TRUNCATE",
    "UPDATE",
    "VACUUM END",
    "VACUUM START",
    "WRITE"
  )

  /** Operations after which a name can belong to another column. Delta's feed goes by name and does not warn. */
  val Renaming: Set[String] = Set("DROP COLUMNS", "RENAME COLUMN", "REPLACE COLUMNS")

  /** The newest commits, at most `limit`, or all. The newest is the first. */
  def commits(session: SparkSession, table: String, limit: Option[Long] = None): Seq[Commit] = {
    val history = session.sql(s"DESCRIBE HISTORY $table${limit.fold("")(n => s" LIMIT $n")}")
    history.selectExpr("version", "unix_micros(timestamp)", "operation").collect().toSeq
      .map(row => Commit(row.getLong(0), row.getLong(1), row.getString(2)))
  }
}
