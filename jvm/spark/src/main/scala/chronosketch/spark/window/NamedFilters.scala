package chronosketch.spark.window

import org.apache.spark.sql.catalyst.expressions.{CreateMap, Expression}
import org.apache.spark.sql.types.{BooleanType, StringType}

import chronosketch.spark.sql.{Arguments, Conditions}

/** Reads the argument `filters`: a map from names to conditions on rows. */
object NamedFilters {
  def of(function: String, e: Expression): (Seq[String], Seq[Expression]) = {
    def refuse(): Nothing = throw Conditions.analysisError(
      "CHRONOSKETCH_INVALID_FILTERS",
      e.origin,
      "function" -> function,
      "sql" -> Arguments.unqualified(e)
    )
    e match {
      case map: CreateMap =>
        val names = map.keys.map { key =>
          if (!key.foldable || !key.dataType.isInstanceOf[StringType]) refuse()
          Arguments.constant(key).toString
        }
        if (map.values.exists(_.dataType != BooleanType)) refuse()
        (names, map.values)
      case none if none.foldable && Arguments.constant(none) == null => (Nil, Nil)
      case _ => refuse()
    }
  }
}
