package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.expressions.{Alias, NamedExpression, SessionWindow}
import org.apache.spark.sql.catalyst.util.UnsafeRowUtils

import chronosketch.spark.sql.SparkPrivates

/** Checks and normalises the grouping columns of our operators, which need rows of one group to have equal bytes there. */
private[spark] object GroupingKeys {

  /** Why only Spark's own operator can group by these columns; None if ours can. */
  def whyNot(grouping: Seq[NamedExpression]): Option[String] =
    grouping.find(k => !UnsafeRowUtils.isBinaryStable(k.dataType))
      .map(k => s"equal values of ${k.name} can have different bytes")
      .orElse(
        grouping.find(_.metadata.contains(SessionWindow.marker)).map(_ =>
          "a session window grows with its rows"
        )
      )

  /** The key with floating-point values normalised to one zero and one NaN. */
  def normalized(key: NamedExpression): NamedExpression = SparkPrivates.normalizeFloatingNumbers(key) match {
    case named: NamedExpression => named
    case normalized => Alias(normalized, key.name)(exprId = key.exprId)
  }
}
