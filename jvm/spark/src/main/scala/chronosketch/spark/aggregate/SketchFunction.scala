package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

/** An aggregate function that the operator in generated code can run instead of Spark's own. */
trait SketchFunction extends NotedFunction { self: AggregateFunction =>

  /** What it summarises, of the rows that pass a filter. */
  def column(filter: Option[Expression]): SketchColumn

  /** What it answers, from the summaries of a column. */
  def asked(column: Int): Asked
}
