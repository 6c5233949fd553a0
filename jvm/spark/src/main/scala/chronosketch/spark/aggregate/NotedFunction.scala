package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction

import chronosketch.spark.sql.Arguments

/** An aggregate function of chronosketch. If it runs in Spark's own operator, EXPLAIN says why. */
trait NotedFunction { self: AggregateFunction =>

  /** Why it runs in Spark's own operator, if the planner has decided that it does. */
  def note: Option[String]

  /** Copies the function with the reason why it runs in Spark's own operator, for EXPLAIN. */
  def noted(why: String): AggregateFunction

  /** The call as EXPLAIN shows it, without Spark's expression ids: plans that differ only in these ids are equal. */
  protected def text: String = children.map(Arguments.unqualified).mkString(s"$prettyName(", ", ", ")")

  override def toAggString(isDistinct: Boolean): String = {
    val arguments = (if (isDistinct) "distinct " else "") + flatArguments.mkString(", ")
    s"$prettyName($arguments)$noteText"
  }

  protected def noteText: String = note.fold("")(why => s" [Spark's own operator: $why]")
}
