package chronosketch.spark.history

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types.{BinaryType, DataType}

import chronosketch.spark.aggregate.SketchAggregate
import chronosketch.spark.sql.EventTime

/** The aggregate that builds the history sketch of a group. Any version of the group can be queried from it later. */
final case class HistorySketchAggregate(
    value: Expression,
    version: Expression,
    change: Option[Expression],
    epsilon: Expression,
    until: Option[Expression],
    note: Option[String] = None,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
)(protected val written: HistoryAggregate.Written)
    extends HistoryAggregate {
  override def prettyName: String = HistorySketchAggregate.Name
  override protected def otherCopyArgs: Seq[AnyRef] = Seq(written)
  override def children: Seq[Expression] = Seq(value, version) ++ change ++ Seq(epsilon) ++ until
  override def nullable: Boolean = false
  override def dataType: DataType = BinaryType
  override def defaultResult: Option[Literal] =
    Some(Literal.create(eval(createAggregationBuffer()), dataType))

  def answer: HistoryAnswer = AsHistory

  def noted(why: String): HistorySketchAggregate = copy(note = Some(why))(written)

  override def checkInputDataTypes(): TypeCheckResult = checkRows(changeAt = 3, untilAt = 5, epsilonAt = 4)

  override def withNewMutableAggBufferOffset(offset: Int): HistorySketchAggregate =
    copy(mutableAggBufferOffset = offset)(written)

  override def withNewInputAggBufferOffset(offset: Int): HistorySketchAggregate =
    copy(inputAggBufferOffset = offset)(written)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): HistorySketchAggregate = {
    val epsilonAt = 2 + change.size
    copy(
      value = c(0),
      version = c(1),
      change = change.map(_ => c(2)),
      epsilon = SketchAggregate.constant(epsilon, c(epsilonAt)),
      until = until.map(_ => c.last)
    )(written)
  }
}

object HistorySketchAggregate {
  val Name = "history_sketch_agg"

  /** Builds the aggregate from the arguments of the SQL function. */
  def of(e: Seq[Expression]): HistorySketchAggregate = {
    val until = Option.when(EventTime.isGiven(e(4)))(e(4))
    new HistorySketchAggregate(
      e(0),
      EventTime.typed(e(1)),
      Option.when(EventTime.isGiven(e(2)))(e(2)),
      SketchAggregate.asDouble(e(3)),
      until
    )(HistoryAggregate.written(e(1), until))
  }
}
