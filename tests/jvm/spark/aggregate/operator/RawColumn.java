package chronosketch.spark.aggregate.operator;

import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.classic.ExpressionUtils;

/** Makes a column of an expression that SQL cannot express. In Java, because Scala code cannot access this part of Spark. */
final class RawColumn {
  private RawColumn() {}

  static Column of(Expression expression) {
    return ExpressionUtils.column(expression);
  }
}
