package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.expressions.{Alias, NamedExpression, SessionWindow}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils

import chronosketch.spark.sql.SparkPrivates

/** The columns that an operator of ours groups by: rows of one group have equal bytes there. */
private[spark] object GroupingKeys {

  /** Why Spark's own operator has to group by them; none where ours can. */
  def whyNot(grouping: Seq[NamedExpression]): Option[String] =
    grouping.find(k => !UnsafeRowUtils.isBinaryStable(k.dataType))
      .map(k => s"equal values of ${k.name} can have different bytes")
      .orElse(
        grouping.find(_.metadata.contains(SessionWindow.marker)).map(_ =>
          "a session window grows with its rows"
        )
      )

  /** With one zero and one NaN. */
  def normalized(key: NamedExpression): NamedExpression = SparkPrivates.normalizeFloatingNumbers(key) match {
    case named: NamedExpression => named
    case normalized => Alias(normalized, key.name)(exprId = key.exprId)
  }
}
