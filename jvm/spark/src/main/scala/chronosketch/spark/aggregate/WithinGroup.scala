package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.analysis.UnresolvedWithinGroup
import org.apache.spark.sql.catalyst.expressions.{Descending, Expression, SortOrder}
import org.apache.spark.sql.types.{NumericType, StringType}

import chronosketch.spark.sql.SparkVersion.prettySql
import chronosketch.spark.sql.{Arguments, Conditions}
import chronosketch.spark.table.Defaults
import chronosketch.summary.Parameter

/** Reads calls that name their values in WITHIN GROUP, as `percentile_disc` does:
  * `approx_quantile(0.99) WITHIN GROUP (ORDER BY latency DESC)`. [[chronosketch.spark.table.SqlFunction]] puts a placeholder in place of
  * the value.
  */
object WithinGroup {

  /** Whether a value is the placeholder for one that WITHIN GROUP names. */
  def isAwaited(value: Expression): Boolean = value eq UnresolvedWithinGroup

  /** Returns the value that a call orders by and its direction, or throws an error that says what to write. */
  def order(aggregate: SketchAggregate, order: Seq[SortOrder]): SortOrder = {
    def refuse(reason: String, instead: String): Nothing = throw Conditions.analysisError(
      "CHRONOSKETCH_WITHIN_GROUP",
      order.head.origin,
      "function" -> aggregate.function,
      "order" -> order.map(Arguments.unqualified).mkString(", "),
      "reason" -> reason,
      "call" -> instead
    )
    val values = Arguments.unqualified(order.head.child)
    def within(arguments: Seq[String]) = {
      val direction = if (order.head.direction == Descending) " DESC" else ""
      s"${aggregate.function}(${arguments.mkString(", ")}) WITHIN GROUP (ORDER BY $values$direction)"
    }
    (aggregate.phi, order) match {
      case (None, _) =>
        val further =
          if (aggregate.value.foldable)
            guessed(aggregate, asWritten(aggregate.value) +: laterArguments(aggregate))
          else named(aggregate)
        refuse(
          "it takes its values as an argument",
          (values +: further).mkString(s"${aggregate.function}(", ", ", ")")
        )
      case (Some(phi), _) if !isAwaited(aggregate.value) =>
        val arguments =
          if (aggregate.value.foldable)
            prettySql(aggregate.value) +: guessed(aggregate, asWritten(phi) +: laterArguments(aggregate))
          else prettySql(phi) +: named(aggregate)
        refuse("it already has its values as an argument", within(arguments))
      case (Some(_), Seq(one)) => one
      case (Some(phi), several) =>
        refuse(s"it takes one expression, not ${several.size}", within(prettySql(phi) +: named(aggregate)))
    }
  }

  /** The arguments after phi that the caller gave, as named arguments. */
  private def named(aggregate: SketchAggregate): Seq[String] =
    givenTuning(aggregate).map { case (parameter, e) => s"${parameter.name} => ${prettySql(e)}" } ++
      aggregate.frequency.map(_ => s"frequency => ${aggregate.frequencySql}") ++ textArguments(aggregate)

  /** The arguments after the first two, whatever they were meant to be, with their SQL. */
  private def laterArguments(aggregate: SketchAggregate): Seq[(Expression, String)] =
    givenTuning(aggregate).map(t => asWritten(t._2)) ++ aggregate.frequency.map(_ -> aggregate.frequencySql)

  private def asWritten(e: Expression): (Expression, String) = (e, prettySql(e))

  /** Names arguments that are off by one position because the value was left out: each gets the parameter it can be meant for. */
  private def guessed(aggregate: SketchAggregate, arguments: Seq[(Expression, String)]): Seq[String] = {
    val names = arguments.map { case (e, _) =>
      def isTuning(parameter: Parameter): Boolean =
        e.dataType.isInstanceOf[NumericType] && Arguments.constant(e) != null &&
          parameter.allows(Arguments.number(Arguments.constant(e)))
      if (!e.foldable) Some("frequency")
      else if (e.dataType.isInstanceOf[StringType] && aggregate.phi.nonEmpty) Some("interpolation")
      else aggregate.family.parameters.find(isTuning).map(_.name)
    }
    names.zip(arguments).collect { case (Some(name), (_, sql)) => s"$name => $sql" } ++ textArguments(
      aggregate
    )
  }

  private def textArguments(aggregate: SketchAggregate): Seq[String] =
    Option.when(aggregate.answer.isInstanceOf[OnLine])("interpolation => 'linear'").toSeq ++
      aggregate.variantTexts

  /** The family's parameters that are not left at their defaults. */
  private def givenTuning(aggregate: SketchAggregate): Seq[(Parameter, Expression)] =
    aggregate.family.parameters.zip(aggregate.tuning).filterNot { case (parameter, e) =>
      val default = if (aggregate.phi.isEmpty) parameter.default else Defaults.AnswerEpsilon
      e.resolved && e.foldable && e.dataType.isInstanceOf[NumericType] && Arguments.constant(e) != null &&
      Arguments.number(Arguments.constant(e)) == default
    }
}
