package chronosketch.spark.following

import org.apache.spark.sql.SparkSession

/** A version of a Delta table as its log describes it.
  *
  * @param micros
  *   the time of the commit in microseconds since 1970
  * @param note
  *   its `userMetadata`
  */
private[spark] final case class Commit(
    version: Long,
    micros: Long,
    operation: String,
    parameters: Map[String, String],
    metrics: Map[String, String],
    note: Option[String]
) {

  /** The mode of a write, such as Append or Overwrite. */
  def mode: Option[String] = parameters.get("mode").orElse(parameters.get("outputMode"))

  /** The number of row images that its change feed has, if its metrics say. */
  def images: Option[Long] =
    if (mode.exists(_ != "Append")) None
    else DeltaLog.ImagesPerRow.get(operation).flatMap { counted =>
      val counts = counted.map { case (name, images) => count(name).map(_ * images) }
      Option.when(counts.forall(_.nonEmpty))(counts.flatten.sum)
    }

  /** A metric that is a number. */
  def count(metric: String): Option[Long] = metrics.get(metric).flatMap(_.toLongOption)
}

/** Reads the log of a Delta table with SQL. */
private[spark] object DeltaLog {

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

  /** Operations that leave the rows of a table as they are. */
  val KeepsRows: Set[String] = Set(
    "OPTIMIZE",
    "VACUUM START",
    "VACUUM END",
    "SET TBLPROPERTIES",
    "UNSET TBLPROPERTIES",
    "COMPUTE STATS",
    "REORG",
    "ADD CONSTRAINT",
    "DROP CONSTRAINT",
    "CHANGE COLUMN",
    "CLUSTER BY",
    "UPGRADE PROTOCOL"
  )

  /** Operations after which a name can belong to another column. Delta's feed goes by name and does not warn. */
  val Renaming: Set[String] = Set("DROP COLUMNS", "RENAME COLUMN", "REPLACE COLUMNS")

  /** The newest commits, at most `limit`, or all. The newest is the first. */
  def commits(session: SparkSession, table: String, limit: Option[Long] = None): Seq[Commit] =
    session.sql(s"DESCRIBE HISTORY $table${limit.fold("")(n => s" LIMIT $n")}")
      .selectExpr(
        "version",
        "unix_micros(timestamp)",
        "operation",
        "operationParameters",
        "operationMetrics",
        "userMetadata"
      )
      .collect().toSeq.map { row =>
        def pairs(i: Int) = Option(row.getMap[String, String](i)).fold(Map.empty[String, String])(_.toMap)
        Commit(row.getLong(0), row.getLong(1), row.getString(2), pairs(3), pairs(4), Option(row.getString(5)))
      }

  /** For each operation, the metrics that count rows, and how many images of each row the change feed has. */
  private[following] val ImagesPerRow: Map[String, Seq[(String, Int)]] = Map(
    "ADD COLUMNS" -> Nil,
    "CREATE TABLE" -> Nil,
    "CREATE TABLE AS SELECT" -> Seq("numOutputRows" -> 1),
    "DELETE" -> Seq("numDeletedRows" -> 1),
    "MERGE" -> Seq("numTargetRowsInserted" -> 1, "numTargetRowsUpdated" -> 2, "numTargetRowsDeleted" -> 1),
    "OPTIMIZE" -> Nil,
    "SET TBLPROPERTIES" -> Nil,
    "STREAMING UPDATE" -> Seq("numOutputRows" -> 1),
    "UPDATE" -> Seq("numUpdatedRows" -> 2),
    "VACUUM END" -> Nil,
    "VACUUM START" -> Nil,
    "WRITE" -> Seq("numOutputRows" -> 1)
  )
}
