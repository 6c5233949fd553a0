package chronosketch.spark.sample

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.types.{ByteType, IntegerType, LongType, ShortType}

import chronosketch.spark.sql.{Arguments, Conditions}

/** Checks the argument `id`: a whole-number column that identifies rows. */
private[spark] object RowId {
  def check(function: String, id: Expression): TypeCheckResult = id.dataType match {
    case ByteType | ShortType | IntegerType | LongType => TypeCheckSuccess
    case _ =>
      throw Conditions.analysisError(
        "CHRONOSKETCH_ID_NO_WHOLE_NUMBER",
        id.origin,
        "function" -> function,
        "type" -> id.dataType.sql,
        "sql" -> Arguments.unqualified(id)
      )
  }
}
