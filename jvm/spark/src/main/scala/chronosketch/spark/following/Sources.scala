package chronosketch.spark.following

import java.util.Locale

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import chronosketch.spark.sql.Conditions

/** Opens tables as sources of changes, by their format. */
private[spark] object Sources {
  private val Heading = "# Detailed Table Information"

  /** A table as a source of changes. Refuses a table that does not exist, and one that is neither a Delta nor an Iceberg table.
    *
    * @param note
    *   a sentence that ends refusals, or empty
    */
  def open(
      session: SparkSession,
      table: String,
      last: Option[LastVersion],
      note: String = ""
  ): VersionedTable =
    try {
      // a view of a session has no schema, so look it up before the name is completed
      if (!exists(session, table)) throw notFound(session, table, note)
      opened(session, table, last, note)
    } catch {
      case e: Throwable if ReadErrors.unreadable(e).contains(ReadErrors.LogGone) =>
        throw ReadErrors.refusal(
          ReadErrors.LogGone,
          table,
          "versions are missing inside it, so Delta cannot read the table.",
          s"Repair the table first.$note",
          Some(e)
        )
    }

  private def opened(
      session: SparkSession,
      table: String,
      last: Option[LastVersion],
      note: String
  ): VersionedTable = {
    val found = described(session, table)
    val name = TableNames.full(session, table)
    val isView = found.isEmpty || found.get("Type").exists(_.toUpperCase(Locale.ROOT).endsWith("VIEW"))
    found.getOrElse("Provider", "").toLowerCase(Locale.ROOT) match {
      case _ if isView => throw notVersioned(table, "a view", note)
      case "iceberg" => new IcebergSource(name, session, last)
      case "" | "delta" => new DeltaSource(name, session, last) // some catalogs do not report a provider
      case other => throw notVersioned(table, s"a table of format $other", note)
    }
  }

  /** Whether a table that exists is an Iceberg table. */
  def isIceberg(session: SparkSession, table: String): Boolean =
    described(session, table).get("Provider").exists(_.equalsIgnoreCase("iceberg"))

  /** Whether a table of this name would be in a catalog of Iceberg. */
  def isInIcebergCatalog(session: SparkSession, table: String): Boolean =
    TableNames.catalog(session, table).exists { catalog =>
      Iterator.iterate[Class[_]](catalog.getClass)(_.getSuperclass).takeWhile(_ != null)
        .exists(_.getName.startsWith("org.apache.iceberg."))
    }

  /** The location of a table's files. */
  def location(session: SparkSession, table: String): String = described(session, table)("Location")

  def exists(session: SparkSession, table: String): Boolean =
    try {
      session.table(table).schema
      true
    } catch { case e: Throwable if ReadErrors.isMissing(e) => false }

  private def notFound(session: SparkSession, table: String, note: String): Throwable = {
    val (missing, similar) = TableNames.missing(session, table)
    Conditions.analysisError(
      ReadErrors.NotFound,
      CurrentOrigin.get,
      "source" -> table,
      "missing" -> missing,
      "similar" -> TableNames.hint(similar),
      "note" -> note
    )
  }

  private def notVersioned(table: String, what: String, note: String): Throwable =
    Conditions.analysisError(
      ReadErrors.NotVersioned,
      CurrentOrigin.get,
      "source" -> table,
      "what" -> what,
      "note" -> note
    )

  /** The rows of DESCRIBE about the table. Rows about columns are left out, as columns may have any name. A temporary view has none. */
  private def described(session: SparkSession, table: String): Map[String, String] =
    session.sql(s"DESCRIBE TABLE EXTENDED $table").collect().toSeq
      .map(row => row.getString(0) -> row.getString(1)).dropWhile(_._1 != Heading).toMap
}
