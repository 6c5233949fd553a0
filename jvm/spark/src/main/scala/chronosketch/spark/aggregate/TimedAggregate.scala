package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{And, Cast, Expression, LessThanOrEqual, Literal}
import org.apache.spark.sql.types.LongType

import chronosketch.domain.Domain
import chronosketch.spark.sql.{Arguments, Conditions, EventTime, SqlValues, ValueTypes}
import chronosketch.summary.{Timed, TimedRows}

/** Builds a summary of values and their times, and answers one question of it.
  *
  * A row with a NULL value, time or id is neither seen nor newest; a condition that is NULL is not passed.
  */
abstract class TimedAggregate extends SummaryAggregate[Timed] {
  protected def value: Expression
  protected def time: Expression

  /** The conditions on rows, by the number of their filter. */
  protected def conditions: Seq[Expression]

  /** Which row a value is of; none: rows are not told apart. */
  protected def id: Option[Expression] = None

  /** The latest time that counts. */
  protected def until: Option[Expression]

  @transient protected lazy val values: SqlValues = SqlValues.of(value.dataType).get
  @transient private lazy val times: SqlValues = EventTime.of(time.dataType).get
  @transient protected lazy val context: Map[String, String] = Map("function" -> prettyName)

  /** Of [[until]], among the times. */
  protected def asOfKey: Option[Long] = until.flatMap(EventTime.asOf(_, timeDomain))

  protected def timeDomain: Domain = EventTime.of(time.dataType).get.domain

  def column(filter: Option[Expression]): SketchColumn = SketchColumn(
    TimedValues(recipe, value.dataType),
    value,
    None,
    Some(time),
    conditions,
    (filter ++ asOfKey.map(isInTime)).reduceOption(And(_, _)),
    context,
    id
  )

  private def isInTime(latest: Long): Expression =
    if (timeDomain.kind.isInteger) LessThanOrEqual(Cast(time, LongType), Literal(latest))
    else LessThanOrEqual(time, Literal(times.value(latest), time.dataType))

  protected def checkRows(types: ValueTypes = ValueTypes.All): TypeCheckResult = Arguments.all(
    () => Arguments.checkValue(prettyName, "value", value, types),
    () => EventTime.check(prettyName, "event_time", time)
  )

  /** Whatever a summary refuses to be made of. */
  protected def checkRecipe(): TypeCheckResult = {
    Conditions.analysing(prettyName, origin)(recipe.empty)
    TypeCheckSuccess
  }

  protected def insert(summary: Timed, row: RowReader): Unit = summary match {
    case told: TimedRows if row.isTold => told.insertRow(row.key, row.other, row.id)
    case _ => summary.insert(row.key, row.other, row.passed)
  }
}
