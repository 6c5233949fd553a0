package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

/** An aggregate function that can run in chronosketch's operator, in generated code, instead of Spark's own. */
trait SketchFunction extends NotedFunction { self: AggregateFunction =>

  /** The column that it summarises, restricted to the rows that pass a filter. */
  def column(filter: Option[Expression]): SketchColumn

  /** The call, answered from the summaries of the sketch column with this index. */
  def asked(column: Int): Asked
}
