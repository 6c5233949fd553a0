package chronosketch.spark.warehouse.registered

import java.util.Locale

import org.apache.spark.sql.SparkSession

import chronosketch.Refusal

/** The names that a session knows warehouses by. They are settings of Spark: of the session, or of all sessions of a server.
  *
  * A name is not case-sensitive, as a view's is not. It goes before a relative path of the same text.
  */
private[warehouse] object RegisteredNames {
  private val Name = "[A-Za-z_][A-Za-z0-9_]*".r

  /** What a name stands for; anything else is a path. */
  def path(session: SparkSession, text: String): String =
    if (Name.matches(text)) session.conf.getOption(setting(text)).getOrElse(text) else text

  def put(session: SparkSession, name: String, path: String): Unit = session.conf.set(setting(name), path)

  /** Refuses a name of which no view could be made without quotes. */
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
