package chronosketch.spark.dsl

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.{call_function, lit}

import chronosketch.spark.table.SqlFunction

/** Creates a column that calls the SQL function of a name. */
private[dsl] object Call {

  /** Calls the function by its full name, which no other function has. */
  def apply(name: String, arguments: Column*): Column =
    call_function(if (name.startsWith(SqlFunction.Prefix)) name else SqlFunction.Prefix + name, arguments: _*)

  /** The placeholder for an optional argument that is not given. */
  def notGiven: Column = lit(null)
}
