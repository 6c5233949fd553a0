package chronosketch.spark.following

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.util.QuotingUtils
import org.apache.spark.sql.connector.catalog.CatalogPlugin
import org.apache.spark.sql.{SparkSession, classic}
import org.apache.spark.unsafe.types.UTF8String

import chronosketch.spark.sql.Catalogs

/** Completes the names of tables, and proposes similar ones. */
private[spark] object TableNames {
  private val Plain = "[A-Za-z_][A-Za-z0-9_]*".r

  /** A table's full name, which does not depend on the session's current schema. */
  def full(session: SparkSession, table: String): String = quoted(session, parts(session, table))

  /** Describes a table that does not exist, with similar names: as in "table orderz in sales. Similar names there: orders". */
  def missing(session: SparkSession, table: String): (String, Seq[String]) = {
    val all = parts(session, table)
    if (isPath(session, all)) (s"Delta table at ${quoted(session, all)}", Nil)
    else {
      val schema = all.init.map(quote).mkString(".")
      (s"table ${all.last} in $schema", similar(all.last, tables(session, schema)))
    }
  }

  /** A sentence that lists similar names, with a space before it, or an empty text if there are none. */
  def hint(similar: Seq[String]): String =
    if (similar.isEmpty) "" else similar.mkString(" Similar names there: ", ", ", ".")

  /** The schema that a table's name has, or None if it has none or names a path. */
  def schema(session: SparkSession, table: String): Option[String] = {
    val named = session.asInstanceOf[classic.SparkSession].sessionState.sqlParser
      .parseMultipartIdentifier(table)
    Option.when(named.size > 1 && !isPath(session, named))(named.init.map(quote).mkString("."))
  }

  /** The catalog that has a table or would have it, or None if the name is a path. */
  def catalog(session: SparkSession, table: String): Option[CatalogPlugin] = {
    val all = parts(session, table)
    Option.unless(isPath(session, all))(Catalogs.named(session, all.head))
  }

  private def quoted(session: SparkSession, parts: Seq[String]): String =
    if (isPath(session, parts)) s"delta.${QuotingUtils.quoteIdentifier(parts.last)}"
    else parts.map(quote).mkString(".")

  /** A part of a name, in backticks if it needs them. */
  def quote(part: String): String =
    if (Plain.matches(part)) part else QuotingUtils.quoteIdentifier(part)

  /** The parts of a table's name, with the current catalog and schema if it does not name them. */
  private def parts(session: SparkSession, table: String): Seq[String] = {
    val state = session.asInstanceOf[classic.SparkSession].sessionState
    val named = state.sqlParser.parseMultipartIdentifier(table)
    if (named.size == 1) (Catalogs.current(session) +: Catalogs.currentSchema(session)) ++ named
    else if (isPath(session, named) || Catalogs.isRegistered(session, named.head)) named
    else Catalogs.current(session) +: named
  }

  private def isPath(session: SparkSession, parts: Seq[String]): Boolean =
    parts.size == 2 && parts.head.equalsIgnoreCase("delta") && parts.last.contains("/") &&
      !Catalogs.isRegistered(session, parts.head)

  /** The table names of a schema; none if it does not exist or cannot be listed. */
  private def tables(session: SparkSession, schema: String): Seq[String] =
    try
      session.sql(s"SHOW TABLES IN $schema").collect().toSeq.filterNot(_.getAs[Boolean]("isTemporary"))
        .map(_.getAs[String]("tableName"))
    catch { case NonFatal(_) => Nil } // the names are only a hint

  /** Names of which at most two letters of five differ, the most similar first, at most three. */
  private def similar(name: String, others: Seq[String]): Seq[String] = {
    def distance(other: String): Double = {
      val differing = text(name).levenshteinDistance(text(other))
      differing.toDouble / math.max(name.length, other.length)
    }
    others.map(other => other -> distance(other)).filter(_._2 <= 0.4).sortBy(_._2).take(3).map(_._1)
  }

  private def text(name: String): UTF8String =
    UTF8String.fromString(name.toLowerCase(java.util.Locale.ROOT))
}
