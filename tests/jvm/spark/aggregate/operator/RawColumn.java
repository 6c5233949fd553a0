package chronosketch.spark.aggregate.operator;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.classic.ExpressionUtils;

/** An expression that SQL cannot write, as a column. Java, since Scala keeps the way there private to Spark. */
final class RawColumn {
  private RawColumn() {}

  static Column of(Expression expression) {
    return ExpressionUtils.column(expression);
  }
}
