package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

import chronosketch.spark.sql.Arguments

/** An aggregate function of ours. Where Spark's own operator runs it, EXPLAIN says why. */
trait NotedFunction { self: AggregateFunction =>

  /** Why it runs in Spark's own operator, where that is settled. */
  def note: Option[String]

  /** Itself, with why it runs in Spark's own operator, for EXPLAIN. */
  def noted(why: String): AggregateFunction

  /** For EXPLAIN, without the numbers that Spark gives to columns: plans that differ in them alone are equal. */
  protected def text: String = children.map(Arguments.unqualified).mkString(s"$prettyName(", ", ", ")")

  override def toAggString(isDistinct: Boolean): String = {
    val arguments = (if (isDistinct) "distinct " else "") + flatArguments.mkString(", ")
    s"$prettyName($arguments)$noteText"
  }

  protected def noteText: String = note.fold("")(why => s" [Spark's own operator: $why]")
}
