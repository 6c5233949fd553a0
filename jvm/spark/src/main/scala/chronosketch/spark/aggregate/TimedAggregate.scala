package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{And, Cast, Expression, LessThanOrEqual, Literal}
import org.apache.spark.sql.types.LongType

import chronosketch.domain.Domain
import chronosketch.spark.sql.{Arguments, Conditions, EventTime, KeyCodec, ValueTypes}
import chronosketch.summary.{Recipe, Timed}

/** Builds a summary of values and their times, and answers one question about it.
  *
  * A row with a NULL value, time or id is skipped, and its time does not count as the newest. A condition that is NULL does not hold.
  */
abstract class TimedAggregate(planned: Planned) extends SummaryAggregate(planned) {
  protected def value: Expression
  protected def time: Expression

  /** The conditions on rows, in the order of their bits. */
  protected def conditions: Seq[Expression] = Nil

  /** The id of the row of a value; if absent, equal rows are not distinguished. */
  protected def id: Option[Expression] = None

  /** The latest time that is included; if absent, all are. */
  protected def until: Option[Expression] = None

  /** Makes the summaries. Only called once the arguments are checked. */
  protected def recipe: Recipe[Timed]

  @transient protected lazy val kind: TimedValues = TimedValues(recipe, value.dataType)
  @transient private lazy val times: KeyCodec = EventTime.of(time.dataType).get

  /** The key of [[until]] among the times. */
  protected def asOfKey: Option[Long] = until.flatMap(EventTime.asOf(_, timeDomain))

  protected def valueDomain: Domain = KeyCodec.of(value.dataType).get.domain
  protected def timeDomain: Domain = EventTime.of(time.dataType).get.domain

  def column(filter: Option[Expression]): SketchColumn = SketchColumn(
    kind,
    value,
    (filter ++ asOfKey.map(isInTime)).reduceOption(And(_, _)),
    Map("function" -> prettyName),
    second = Some(time),
    conditions = conditions,
    id = id
  )

  private def isInTime(latest: Long): Expression =
    if (timeDomain.kind.isInteger) LessThanOrEqual(Cast(time, LongType), Literal(latest))
    else LessThanOrEqual(time, Literal(times.value(latest), time.dataType))

  protected def checkRows(types: ValueTypes = ValueTypes.All): TypeCheckResult = Arguments.all(
    () => Arguments.checkValue(prettyName, "value", value, types),
    () => EventTime.check(prettyName, "event_time", time)
  )

  /** Creates an empty summary to check the arguments: an invalid one is reported as an analysis error. */
  protected def checkRecipe(): TypeCheckResult = {
    Conditions.analysing(prettyName, origin)(recipe.empty)
    TypeCheckSuccess
  }
}
