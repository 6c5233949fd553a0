package chronosketch.spark.history.operator

import org.apache.spark.sql.types.DataType

import chronosketch.history.HistoryRecipe
import chronosketch.spark.history.HistoryAnswer

/** A function of the query: where its arguments stand in a row, all of them 64 bits, and what it answers.
  *
  * @param value  the place of the value's key; NULL where the row does not pass the call's filter
  * @param change the place of the change; -1: each row is one copy more
  * @param until  the place of the end; -1: rows do not end
  * @param text   the call, for EXPLAIN
  */
final case class HistoryCall(
    recipe: HistoryRecipe,
    answer: HistoryAnswer,
    value: Int,
    change: Int,
    until: Int,
    dataType: DataType,
    text: String,
    context: Map[String, String]
)
