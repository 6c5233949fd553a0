package chronosketch.spark.following

import org.apache.spark.sql.SparkSession

/** A version of a Delta table: its commit time in microseconds since 1970, its operation, and the number of row images in its feed if
  * known.
  */
private[following] final case class Commit(
    version: Long,
    micros: Long,
    operation: String,
    images: Option[Long] = None
)

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
    history
      .selectExpr(
        "version",
        "unix_micros(timestamp)",
        "operation",
        "operationParameters",
        "operationMetrics"
      )
      .collect().toSeq.map { row =>
        def pairs(i: Int) = Option(row.getMap[String, String](i)).fold(Map.empty[String, String])(_.toMap)
        val operation = row.getString(2)
        Commit(row.getLong(0), row.getLong(1), operation, imageCount(operation, pairs(3), pairs(4)))
      }
  }

  /** The number of row images of a commit, by its metrics. None if they do not say. */
  def imageCount(
      operation: String,
      parameters: Map[String, String],
      metrics: Map[String, String]
  ): Option[Long] =
    if (parameters.getOrElse("mode", parameters.getOrElse("outputMode", "Append")) != "Append") None
    else ImagesPerRow.get(operation).flatMap { counted =>
      val counts = counted.map { case (name, images) =>
        metrics.get(name).flatMap(_.toLongOption).map(_ * images)
      }
      Option.when(counts.forall(_.nonEmpty))(counts.flatten.sum)
    }

  /** For each operation, the metrics that count rows, and how many images of each row the change feed has. */
  private val ImagesPerRow: Map[String, Seq[(String, Int)]] = Map(
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
