package chronosketch.spark.warehouse

import java.util.Locale

import org.apache.spark.sql.SparkSession

import chronosketch.Refusal
import chronosketch.spark.warehouse.answers.AnswerColumns
import chronosketch.spark.warehouse.runs.EntrySummaries

/** The names under which a session knows warehouses. They are stored as Spark settings, of the session or of all sessions of a server.
  *
  * Like the name of a view, a name is not case-sensitive. It takes precedence over a relative path with the same text.
  */
private[warehouse] object RegisteredNames {
  private val Name = "[A-Za-z_][A-Za-z0-9_]*".r

  /** The path of a registered name; any other text is itself a path. */
  def path(session: SparkSession, text: String): String =
    if (Name.matches(text)) session.conf.getOption(setting(text)).getOrElse(text) else text

  def put(session: SparkSession, name: String, path: String): Unit = session.conf.set(setting(name), path)

  /** Refuses a name that would have to be quoted in the name of a view. */
  def require(name: String): Unit =
    if (!Name.matches(name))
      throw Refusal(
        "CHRONOSKETCH_WAREHOUSE_ARGUMENT",
        "argument" -> "name",
        "required" -> "a name of letters, digits and _ that does not begin with a digit",
        "sql" -> s"'$name'"
      )

  private def setting(name: String): String =
    s"spark.chronosketch.warehouse.${name.toLowerCase(Locale.ROOT)}"
}

/** Checks the names of a warehouse's columns. The names of other columns that views and answers have are reserved. */
private[warehouse] object ColumnNames {
  private val reserved =
    (AnswerColumns.Names ++ (EntrySummaries.Columns ++ SummaryIndex.Columns).map(_.name)).toSet

  def require(value: String, by: Seq[String]): Unit = {
    def refuse(column: String, reason: String): Nothing =
      throw Refusal("CHRONOSKETCH_WAREHOUSE_COLUMN", "column" -> column, "reason" -> reason)
    val all = (by :+ value).map(_.toLowerCase(Locale.ROOT))
    (by :+ value).find(_.isEmpty).foreach(refuse(_, "it has no name"))
    all.diff(all.distinct).headOption.foreach(refuse(_, "it is named twice"))
    by.find(name => reserved(name.toLowerCase(Locale.ROOT)))
      .foreach(refuse(
        _,
        "answers or views have a column of that name. Give it another name: SELECT ... AS ..."
      ))
  }
}
