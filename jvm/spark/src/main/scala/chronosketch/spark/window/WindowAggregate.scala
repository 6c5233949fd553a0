package chronosketch.spark.window

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.Expression

import chronosketch.spark.aggregate.TimedAggregate
import chronosketch.spark.sql.Arguments
import chronosketch.summary.Recipe
import chronosketch.window.{WindowRecipe, WindowSketch, WindowSketches}

/** Builds a window sketch from columns of values and their times, and answers one question of it. */
abstract class WindowAggregate extends TimedAggregate {
  protected def epsilon: Expression
  protected def filterNames: Vector[String]

  /** In the units of time. */
  protected def retention: Long

  @transient protected lazy val recipe: Recipe[WindowSketch] = WindowRecipe(
    values.domain,
    timeDomain,
    Arguments.number(Arguments.constant(epsilon)),
    retention,
    filterNames
  )

  protected def checkRows(epsilonAt: Int): TypeCheckResult = Arguments.all(
    () => checkRows(),
    () => Arguments.checkParameter(WindowSketches.Epsilon, epsilonAt, epsilon)
  )
}
