package chronosketch.spark.window

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Expression

import chronosketch.spark.aggregate.{Placement, TimedAggregate}
import chronosketch.spark.sql.{Arguments, ValueTypes}
import chronosketch.summary.{Family, Recipe}
import chronosketch.window.{Windowed, WindowedFamily}

/** Builds a window sketch from columns of values and their times, and answers one question about it. */
abstract class WindowAggregate(placement: Placement) extends TimedAggregate(placement) {
  protected def family: Family[Windowed] with WindowedFamily[Windowed]
  protected def epsilon: Expression
  protected def filterNames: Vector[String]

  /** How far back windows may reach, in the units of the times. */
  protected def retentionLength: Long

  @transient protected lazy val recipe: Recipe[Windowed] = family.recipe(
    valueDomain,
    timeDomain,
    Seq(Arguments.parameter(epsilon)),
    retentionLength,
    filterNames
  )

  protected def checkRows(epsilonAt: Int): TypeCheckResult = Arguments.all(
    () => checkRows(ValueTypes.of(family)),
    () => checkTaken(),
    () => Arguments.checkParameter(family.parameters.head, epsilonAt, epsilon)
  )

  private def checkTaken(): TypeCheckResult =
    if (family.takes(valueDomain)) TypeCheckSuccess
    else Arguments.refuseType(prettyName, "value", value, ValueTypes.of(family))
}
