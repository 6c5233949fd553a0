package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.analysis.UnresolvedWithinGroup
import org.apache.spark.sql.catalyst.expressions.{Ascending, Expression, NamedArgumentExpression, SortOrder}
import org.apache.spark.sql.catalyst.util.toPrettySQL

import chronosketch.spark.sql.{Arguments, Conditions}

/** Calls whose values stand behind them, as those of `percentile_cont` do:
  * `approx_quantile(0.99) WITHIN GROUP (ORDER BY latency)`.
  */
object WithinGroup {

  /** The arguments of a call. Where a function measures a value and asks for a phi, and its call has a constant phi alone, the
    * value is still to come.
    */
  def arguments(names: Seq[String], call: Seq[Expression]): Seq[Expression] = {
    val (named, placed) = call.partition(_.isInstanceOf[NamedArgumentExpression])
    def has(name: String): Boolean = named.exists {
      case NamedArgumentExpression(key, _) => key.equalsIgnoreCase(name)
      case _ => false
    }
    val isPhiAlone = placed match {
      case Seq(phi) => phi.foldable && !has("phi")
      case Seq() => has("phi")
      case _ => false
    }
    if (names.startsWith(Seq("value", "phi")) && isPhiAlone && !has("value")) UnresolvedWithinGroup +: call
    else call
  }

  /** Whether a value is still to come. */
  def isAwaited(value: Expression): Boolean = value eq UnresolvedWithinGroup

  /** The value that a call orders by, or the error that says what to write. */
  def value(aggregate: SketchAggregate, order: Seq[SortOrder]): Expression = {
    val values = Arguments.unqualified(order.head.child)
    def within(arguments: String) = s"${aggregate.function}($arguments) WITHIN GROUP (ORDER BY $values)"
    def refuse(reason: String, instead: String): Nothing = throw Conditions.analysisError(
      "CHRONOSKETCH_WITHIN_GROUP",
      order.head.origin,
      "function" -> aggregate.function,
      "order" -> order.map(Arguments.unqualified).mkString(", "),
      "reason" -> reason,
      "call" -> instead
    )
    (aggregate.phi, order) match {
      case (None, _) => refuse("it takes its values as an argument", s"${aggregate.function}($values)")
      case (Some(phi), _) if !isAwaited(aggregate.value) =>
        val arguments =
          if (aggregate.value.foldable) s"${toPrettySQL(aggregate.value)}, epsilon => ${toPrettySQL(phi)}"
          else toPrettySQL(phi)
        refuse("it already has its values as an argument", within(arguments))
      case (Some(phi), Seq(one)) =>
        if (one.direction == Ascending) one.child
        else refuse(
          "phi counts from the least value. To count from the greatest, use 1 - phi",
          within(complement(phi))
        )
      case (Some(phi), several) =>
        refuse(s"it takes one expression, not ${several.size}", within(toPrettySQL(phi)))
    }
  }

  private def complement(phi: Expression): String =
    if (phi.children.isEmpty) s"1 - ${toPrettySQL(phi)}"
    else phi.children.map(p => s"1 - ${toPrettySQL(p)}").mkString(s"${phi.prettyName}(", ", ", ")")
}
