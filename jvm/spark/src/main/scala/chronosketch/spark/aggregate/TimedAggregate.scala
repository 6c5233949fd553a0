package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.expressions.{And, Cast, Expression, LessThanOrEqual, Literal}
import org.apache.spark.sql.types.LongType

import chronosketch.Refusal
import chronosketch.domain.Domain
import chronosketch.spark.sql.{Arguments, Conditions, EventTime, Phis, SqlValues}
import chronosketch.summary.{Envelope, Family, Summary, Timed}

/** Builds a summary of values and their times, and answers one question of it; in Spark's own operators.
  *
  * Cost  a boxed value and a boxed time a row, and a virtual call for each condition; a summary a group
  *
  * A row with a NULL value or time is neither seen nor newest; a condition that is NULL is not passed.
  */
abstract class TimedAggregate extends TypedImperativeAggregate[Summary] with SketchFunction {
  protected def value: Expression
  protected def time: Expression

  /** The conditions on rows, by the number of their filter. */
  protected def conditions: Seq[Expression]

  /** The latest time that counts. */
  protected def until: Option[Expression]
  protected def answer: Answer
  protected def phis: Phis

  /** Of what summarises, once the arguments are known to be right. */
  protected def family: Family
  protected def parameters: Array[Double]

  override protected def flatArguments: Iterator[Any] = children.iterator

  @transient protected lazy val values: SqlValues = SqlValues.of(value.dataType).get
  @transient private lazy val times: SqlValues = EventTime.of(time.dataType).get
  @transient private lazy val tests: Array[Expression] = conditions.toArray
  @transient private lazy val latest: Long = asOfKey.getOrElse(Long.MaxValue)
  @transient private lazy val context: Map[String, String] = Map("function" -> prettyName)

  /** Of [[until]], among the times. */
  protected def asOfKey: Option[Long] = until.flatMap(EventTime.asOf(_, timeDomain))

  protected def timeDomain: Domain = EventTime.of(time.dataType).get.domain

  def column(filter: Option[Expression]): SketchColumn = SketchColumn(
    Values(family, value.dataType, parameters.toSeq),
    value,
    None,
    Some(time),
    conditions,
    (filter ++ asOfKey.map(_ => isInTime)).reduceOption(And(_, _)),
    context
  )

  private def isInTime: Expression =
    if (timeDomain.kind.isInteger) LessThanOrEqual(Cast(time, LongType), Literal(latest))
    else LessThanOrEqual(time, Literal(times.value(latest), time.dataType))

  protected def checkRows(): TypeCheckResult = Arguments.all(
    () => Arguments.checkValue(prettyName, "value", value),
    () => EventTime.check(prettyName, "event_time", time)
  )

  /** Whatever a family refuses to be made of. */
  protected def checkFamily(): TypeCheckResult = {
    Conditions.analysing(prettyName, origin)(family.empty(values.domain, parameters))
    TypeCheckSuccess
  }

  override def createAggregationBuffer(): Summary = family.empty(values.domain, parameters)

  override def update(summary: Summary, row: InternalRow): Summary = {
    val v = value.eval(row)
    if (v != null) {
      val t = time.eval(row)
      if (t != null) {
        val at = times.key(t)
        if (at <= latest) insert(summary.asInstanceOf[Timed], values.key(v), at, passed(row))
      }
    }
    summary
  }

  private def passed(row: InternalRow): Int = {
    var bits = 0
    var i = 0
    while (i < tests.length) {
      if (java.lang.Boolean.TRUE == tests(i).eval(row)) bits |= 1 << i
      i += 1
    }
    bits
  }

  private def insert(summary: Timed, key: Long, at: Long, passed: Int): Unit =
    try summary.insert(key, at, passed)
    catch { case refusal: Refusal => throw Conditions.runtimeError(refusal, context) }

  override def merge(summary: Summary, other: Summary): Summary = {
    Conditions.answering(context)(summary.merge(other))
    summary
  }

  override def eval(summary: Summary): Any = Conditions.answering(context)(answer.of(summary, values, phis))

  override def serialize(summary: Summary): Array[Byte] =
    Conditions.answering(context)(Envelope.seal(summary))

  override def deserialize(bytes: Array[Byte]): Summary = Envelope.open(bytes)
}
