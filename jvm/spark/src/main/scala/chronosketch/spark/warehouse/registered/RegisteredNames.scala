package chronosketch.spark.warehouse.registered

import java.util.Locale

import org.apache.spark.sql.SparkSession

import chronosketch.Refusal

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
