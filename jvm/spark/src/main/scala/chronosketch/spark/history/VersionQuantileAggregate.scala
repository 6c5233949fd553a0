package chronosketch.spark.history

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types.DataType

import chronosketch.spark.aggregate.SketchAggregate
import chronosketch.spark.sql.{Arguments, EventTime, Phis}

/** The aggregate that computes the φ-quantile of the values alive at a version. Later changes are ignored. */
final case class VersionQuantileAggregate(
    value: Expression,
    version: Expression,
    change: Option[Expression],
    phi: Expression,
    at: Expression,
    epsilon: Expression,
    note: Option[String] = None,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
)(protected val written: HistoryAggregate.Written)
    extends HistoryAggregate {
  override def prettyName: String = VersionQuantileAggregate.Name
  override protected def otherCopyArgs: Seq[AnyRef] = Seq(written)
  override def children: Seq[Expression] = Seq(value, version) ++ change ++ Seq(phi, at, epsilon)
  override def nullable: Boolean = true
  override def dataType: DataType = Phis.typed(phi, values.dataType)

  def until: Option[Expression] = None

  @transient lazy val answer: HistoryAnswer = AsVersionQuantile(
    EventTime.asOf(at, versionDomain),
    value.dataType,
    Literal.create(Arguments.constant(phi), phi.dataType)
  )

  def noted(why: String): VersionQuantileAggregate = copy(note = Some(why))(written)

  override def checkInputDataTypes(): TypeCheckResult = Arguments.all(
    () => checkRows(changeAt = 3, untilAt = 0, epsilonAt = 6),
    () => Arguments.checkConstantPhi(4, phi),
    () => EventTime.checkGiven("at_version", "the type of version", at),
    () => checkVersion(5, at)
  )

  override def withNewMutableAggBufferOffset(offset: Int): VersionQuantileAggregate =
    copy(mutableAggBufferOffset = offset)(written)

  override def withNewInputAggBufferOffset(offset: Int): VersionQuantileAggregate =
    copy(inputAggBufferOffset = offset)(written)

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): VersionQuantileAggregate = {
    val constants = c.takeRight(3)
    copy(
      value = c(0),
      version = c(1),
      change = change.map(_ => c(2)),
      phi = SketchAggregate.constant(phi, constants(0)),
      at = SketchAggregate.constant(at, constants(1)),
      epsilon = SketchAggregate.constant(epsilon, constants(2))
    )(written)
  }
}

object VersionQuantileAggregate {
  val Name = "approx_quantile_at_version"

  /** Builds the aggregate from the arguments of the SQL function. */
  def of(e: Seq[Expression]): VersionQuantileAggregate = new VersionQuantileAggregate(
    e(0),
    EventTime.typed(e(1)),
    Option.when(EventTime.isGiven(e(2)))(e(2)),
    e(3),
    e(4),
    SketchAggregate.asDouble(e(5))
  )(HistoryAggregate.written(e(1), None))
}
