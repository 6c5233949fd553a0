package chronosketch.spark.history

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, TypedImperativeAggregate}
import org.apache.spark.sql.types.{ByteType, DataType, IntegerType, LongType, ShortType}

import chronosketch.Refusal
import chronosketch.domain.Domain
import chronosketch.history.{HistoryBuilder, HistoryRecipe, HistorySketches}
import chronosketch.spark.sql.{Arguments, Conditions, EventTime, SqlValues}

/** Builds the history of a group from rows in any order, and answers one question about it. In Spark's own operators it buffers all changes
  * of a group; our operator sorts the rows first and buffers few.
  *
  * A row whose value, version or change is NULL is ignored. A row with an end stands for two changes: its value is inserted at its version
  * and deleted at its end.
  */
abstract class HistoryAggregate extends TypedImperativeAggregate[Changes] {
  def value: Expression
  def version: Expression

  /** How many copies of the value are inserted (deleted if negative); one if absent. */
  def change: Option[Expression]

  /** The version at which the row's value is deleted again; never if absent or NULL. */
  def until: Option[Expression]

  protected def epsilon: Expression
  def answer: HistoryAnswer

  /** Why it runs in Spark's own operator, once that is decided. */
  def note: Option[String]

  /** A copy that states why it runs in Spark's own operator, for EXPLAIN. */
  def noted(why: String): AggregateFunction

  /** The version and the end as the user wrote them, for messages. */
  protected def written: HistoryAggregate.Written

  @transient protected lazy val values: SqlValues = SqlValues.of(value.dataType).get
  @transient private lazy val versions: SqlValues = EventTime.of(version.dataType).get
  @transient private lazy val ends: SqlValues = until.flatMap(e => EventTime.of(e.dataType)).orNull

  /** The type of the versions: the wider one of the version's and the end's. */
  @transient protected lazy val versionDomain: Domain =
    if (ends == null) versions.domain else versions.domain.widen(ends.domain).get

  /** The parameters of histories. Valid after the arguments were checked. */
  @transient lazy val recipe: HistoryRecipe =
    HistoryRecipe(values.domain, Arguments.parameter(epsilon), versionDomain)

  /** The parameters of error messages. */
  @transient lazy val context: Map[String, String] =
    Map("function" -> prettyName, "starts" -> written.version, "ends" -> written.until)

  @transient private lazy val changeOrNull: Expression = change.orNull
  @transient private lazy val untilOrNull: Expression = until.orNull
  @transient private lazy val latest: Long = answer.latest

  override def createAggregationBuffer(): Changes = new Changes

  override def update(changes: Changes, row: InternalRow): Changes = {
    val v = value.eval(row)
    val at = if (v == null) null else version.eval(row)
    // runs for each row: try costs nothing, a closure would allocate an object
    if (at != null)
      try add(changes, values.key(v), versions.key(at), row)
      catch { case refusal: Refusal => throw Conditions.runtimeError(refusal, context) }
    changes
  }

  private def add(changes: Changes, key: Long, from: Long, row: InternalRow): Unit = {
    val copies = if (changeOrNull == null) HistoryAggregate.OneCopy else changeOrNull.eval(row)
    if (copies != null && from <= latest) {
      val change = copies.asInstanceOf[Number].longValue
      val until = if (untilOrNull == null) null else untilOrNull.eval(row)
      if (until == null) changes.add(from, key, change)
      else {
        val end = ends.key(until)
        if (Holding.isSome(from, end, versionDomain)) {
          changes.add(from, key, change)
          if (end <= latest) changes.add(end, key, Holding.undone(change))
        }
      }
    }
  }

  override def merge(changes: Changes, other: Changes): Changes = {
    Conditions.answering(context)(changes.addAll(other))
    changes
  }

  override def eval(changes: Changes): Any = Conditions.answering(context) {
    val builder = new HistoryBuilder(recipe)
    changes.feed(builder)
    answer.of(builder.result())
  }

  override def serialize(changes: Changes): Array[Byte] = changes.toBytes
  override def deserialize(bytes: Array[Byte]): Changes = Changes.ofBytes(bytes)

  override protected def flatArguments: Iterator[Any] = children.iterator

  /** The call for EXPLAIN, without the ids that Spark appends to columns. */
  def text: String = children.map(Arguments.unqualified).mkString(s"$prettyName(", ", ", ")")

  override def toAggString(isDistinct: Boolean): String = {
    val arguments = (if (isDistinct) "distinct " else "") + flatArguments.mkString(", ")
    s"$prettyName($arguments)${note.fold("")(why => s" [Spark's own operator: $why]")}"
  }

  /** Checks the arguments. The parameters are the positions, from 1, of the change, the end and ε. */
  protected def checkRows(changeAt: Int, untilAt: Int, epsilonAt: Int): TypeCheckResult = Arguments.all(
    () => Arguments.checkValue(prettyName, "value", value),
    () => EventTime.check(prettyName, "version", version),
    () => change.fold[TypeCheckResult](TypeCheckSuccess)(checkChange(changeAt, _)),
    () => until.fold[TypeCheckResult](TypeCheckSuccess)(checkVersion(untilAt, _)),
    () => Arguments.checkParameter(HistorySketches.Epsilon, epsilonAt, epsilon)
  )

  private def checkChange(position: Int, e: Expression): TypeCheckResult =
    if (HistoryAggregate.isWhole(e.dataType)) TypeCheckSuccess
    else Arguments.unexpectedType(position, "INTEGRAL", e)

  /** Checks that the type of an argument is comparable with that of the versions. */
  protected def checkVersion(position: Int, e: Expression): TypeCheckResult = {
    val own = EventTime.of(version.dataType).get.domain
    if (EventTime.of(e.dataType).exists(_.domain.widen(own).nonEmpty)) TypeCheckSuccess
    else Arguments.unexpectedType(position, own.sql, e)
  }
}

object HistoryAggregate {

  /** The version and the end as SQL text. */
  final case class Written(version: String, until: String)

  def written(version: Expression, until: Option[Expression]): Written =
    Written(Arguments.unqualified(version), until.fold("")(Arguments.unqualified))

  private val OneCopy: java.lang.Long = 1L

  private def isWhole(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }
}
