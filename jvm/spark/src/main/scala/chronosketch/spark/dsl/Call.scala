package chronosketch.spark.dsl

import org.apache.spark.sql.Column
import org.apache.spark.sql.functions.{call_function, lit}

import chronosketch.spark.table.SqlFunction

/** How a Scala function becomes a call of the SQL function of its name. */
private[dsl] object Call {

  /** By the full name, which no other function takes. */
  def apply(name: String, arguments: Column*): Column =
    call_function(if (name.startsWith(SqlFunction.Prefix)) name else SqlFunction.Prefix + name, arguments: _*)

  /** What stands for an argument that is not given. */
  def notGiven: Column = lit(null)
}
