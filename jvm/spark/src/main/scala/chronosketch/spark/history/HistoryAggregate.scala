package chronosketch.spark.history

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan}
import org.apache.spark.sql.types.{BinaryType, ByteType, DataType, IntegerType, LongType, ShortType}

import chronosketch.Refusal
import chronosketch.domain.Domain
import chronosketch.history.{HistoryBuilder, HistoryRecipe, HistorySketch, HistorySketches}
import chronosketch.spark.aggregate.{ChronosketchAggregate, Planned, SketchAggregate}
import chronosketch.spark.sql.{Arguments, Conditions, EventTime, KeyCodec, Phis, SparkPrivates}
import chronosketch.summary.Envelope

/** Builds the history of a group from rows in any order. Returns the history, or the φ-quantile of the values alive at a version. In
  * Spark's own operators it buffers all changes of a group; our operator sorts the rows first and buffers few.
  *
  * A row whose value, version or change is NULL is ignored. A row with an end stands for two changes: its value is inserted at its version
  * and deleted at its end.
  *
  * @param change    how many copies of the value are inserted (deleted if negative); one if absent
  * @param phi       the quantile level, if the answer is a quantile
  * @param atVersion the version asked about, if the answer is a quantile
  * @param until     the version at which the row's value is deleted again; never if absent or NULL
  * @param written   the version and the end as the user wrote them, for messages
  */
final case class HistoryAggregate(
    value: Expression,
    version: Expression,
    change: Option[Expression],
    phi: Option[Expression],
    atVersion: Option[Expression],
    epsilon: Expression,
    until: Option[Expression],
    planned: Planned = Planned()
)(written: HistoryAggregate.Written)
    extends ChronosketchAggregate[Changes](planned) {
  override def prettyName: String =
    if (phi.isEmpty) HistoryAggregate.SketchName else HistoryAggregate.QuantileName
  override protected def otherCopyArgs: Seq[AnyRef] = Seq(written)
  override def children: Seq[Expression] =
    Seq(value, version) ++ change ++ phi ++ atVersion ++ Seq(epsilon) ++ until
  override def nullable: Boolean = phi.nonEmpty
  override def dataType: DataType = phi.fold[DataType](BinaryType)(Phis.typed(_, values.dataType))

  @transient private lazy val values: KeyCodec = KeyCodec.of(value.dataType).get
  @transient private lazy val versions: KeyCodec = EventTime.of(version.dataType).get
  @transient private lazy val ends: KeyCodec = until.flatMap(e => EventTime.of(e.dataType)).orNull

  /** The type of the versions: the wider one of the version's and the end's. */
  @transient private lazy val versionDomain: Domain =
    if (ends == null) versions.domain else versions.domain.widen(ends.domain).get

  /** The parameters of histories. Valid after the arguments were checked. */
  @transient lazy val recipe: HistoryRecipe =
    HistoryRecipe(values.domain, Arguments.parameter(epsilon), versionDomain)

  @transient lazy val answer: HistoryAnswer = phi.fold[HistoryAnswer](AsHistory)(e =>
    AsVersionQuantile(
      EventTime.asOf(atVersion.get, versionDomain),
      value.dataType,
      Literal.create(Arguments.constant(e), e.dataType)
    )
  )

  /** The parameters of error messages. */
  @transient lazy val context: Map[String, String] =
    Map("function" -> prettyName, "starts" -> written.version, "ends" -> written.until)

  @transient private lazy val changeOrNull: Expression = change.orNull
  @transient private lazy val untilOrNull: Expression = until.orNull
  @transient private lazy val lifetime = new RowLifetime(answer.latest, versionDomain)

  protected def withPlanned(planned: Planned): HistoryAggregate = copy(planned = planned)(written)

  override def createAggregationBuffer(): Changes = new Changes

  override def update(changes: Changes, row: InternalRow): Changes = {
    val v = value.eval(row)
    val from = if (v == null) null else version.eval(row)
    // runs for each row: try costs nothing, a closure would allocate an object
    if (from != null)
      try add(changes, values.key(v), versions.key(from), row)
      catch { case refusal: Refusal => throw Conditions.runtimeError(refusal, context) }
    changes
  }

  private def add(changes: Changes, key: Long, from: Long, row: InternalRow): Unit = {
    val copies = if (changeOrNull == null) HistoryAggregate.OneCopy else changeOrNull.eval(row)
    if (copies != null) {
      val change = copies.asInstanceOf[Number].longValue
      val end = if (untilOrNull == null) null else untilOrNull.eval(row)
      if (end == null) lifetime.add(from, key, change, changes)
      else lifetime.add(from, ends.key(end), key, change, changes)
    }
  }

  override def merge(changes: Changes, other: Changes): Changes = {
    Conditions.answering(context)(changes.addAll(other))
    changes
  }

  override def eval(changes: Changes): Any = Conditions.answering(context) {
    val cancellation = SparkPrivates.cancellationOf(TaskContext.get())
    val builder = new HistoryBuilder(recipe, cancellation)
    changes.feed(builder, cancellation)
    answer.compute(builder.result())
  }

  override def serialize(changes: Changes): Array[Byte] = changes.toBytes
  override def deserialize(bytes: Array[Byte]): Changes = Changes.ofBytes(bytes)

  override def checkInputDataTypes(): TypeCheckResult =
    if (phi.isEmpty) checkRows(epsilonAt = 4)
    else
      Arguments.all(
        () => checkRows(epsilonAt = 6),
        () => Arguments.checkConstantPhi(4, phi.get),
        () => EventTime.checkGiven("at_version", "the type of version", atVersion.get),
        () => checkVersion(5, atVersion.get)
      )

  private def checkRows(epsilonAt: Int): TypeCheckResult = Arguments.all(
    () => Arguments.checkValue(prettyName, "value", value),
    () => EventTime.check(prettyName, "version", version),
    () => change.fold[TypeCheckResult](TypeCheckSuccess)(checkChange(3, _)),
    () => until.fold[TypeCheckResult](TypeCheckSuccess)(checkVersion(5, _)),
    () => Arguments.checkParameter(HistorySketches.Epsilon, epsilonAt, epsilon)
  )

  private def checkChange(position: Int, e: Expression): TypeCheckResult =
    if (HistoryAggregate.isWhole(e.dataType)) TypeCheckSuccess
    else Arguments.unexpectedType(position, "INTEGRAL", e)

  /** Checks that the type of an argument is comparable with that of the versions. */
  private def checkVersion(position: Int, e: Expression): TypeCheckResult = {
    val own = EventTime.of(version.dataType).get.domain
    if (EventTime.of(e.dataType).exists(_.domain.widen(own).nonEmpty)) TypeCheckSuccess
    else Arguments.unexpectedType(position, own.sql, e)
  }

  override protected def withNewChildrenInternal(c: IndexedSeq[Expression]): HistoryAggregate = {
    val rest = c.iterator
    def constant(before: Expression): Expression = SketchAggregate.constant(before, rest.next())
    // read the children in order
    copy(value = rest.next(), version = rest.next(), change = change.map(_ => rest.next()))(written)
      .copy(phi = phi.map(constant), atVersion = atVersion.map(constant))(written)
      .copy(epsilon = constant(epsilon), until = until.map(_ => rest.next()))(written)
  }
}

object HistoryAggregate {
  val SketchName = "history_sketch_agg"
  val QuantileName = "approx_quantile_at_version"

  /** The version and the end as SQL text. */
  final case class Written(version: String, until: String)

  /** Builds the aggregate that returns the history from the arguments of its SQL function. */
  def sketch(e: Seq[Expression]): HistoryAggregate =
    of(e(0), e(1), e(2), None, None, e(3), Option.when(EventTime.isGiven(e(4)))(e(4)))

  /** Builds the aggregate that returns a quantile from the arguments of its SQL function. */
  def quantile(e: Seq[Expression]): HistoryAggregate =
    of(e(0), e(1), e(2), Some(e(3)), Some(e(4)), e(5), None)

  private def of(
      value: Expression,
      version: Expression,
      change: Expression,
      phi: Option[Expression],
      atVersion: Option[Expression],
      epsilon: Expression,
      until: Option[Expression]
  ): HistoryAggregate = new HistoryAggregate(
    value,
    EventTime.typed(version),
    Option.when(EventTime.isGiven(change))(change),
    phi,
    atVersion,
    SketchAggregate.asDouble(epsilon),
    until
  )(Written(Arguments.unqualified(version), until.fold("")(Arguments.unqualified)))

  private val OneCopy: java.lang.Long = 1L

  private def isWhole(dataType: DataType): Boolean = dataType match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }
}

/** The answer that an aggregate computes from the complete history of a group. */
sealed abstract class HistoryAnswer extends Serializable {

  /** The last version needed; later changes are ignored. */
  def latest: Long

  def compute(history: HistorySketch): Any
}

/** The encoded history itself; an empty history if there were no changes. */
case object AsHistory extends HistoryAnswer {
  def latest: Long = Long.MaxValue
  def compute(history: HistorySketch): Any = Envelope.seal(history)
}

/** The φ-quantile of the values alive at a version; NULL if the version is NULL or no value is alive. */
final case class AsVersionQuantile(version: Option[Long], valueType: DataType, phi: Literal)
    extends HistoryAnswer {
  @transient private lazy val values: KeyCodec = KeyCodec.of(valueType).get
  @transient private lazy val phis: Phis = Phis.of(phi.value, phi.dataType)

  def latest: Long = version.getOrElse(Long.MinValue)

  def compute(history: HistorySketch): Any =
    if (version.isEmpty || history.isEmpty) null
    else {
      val alive = history.at(history.lastVersion)
      alive.quantiles.fold(null: Any)(key => phis.map(phi => values.value(key(phi))))
    }
}

/** Refuses histories of streams: a history needs the rows of a group in order of version, and a stream never has all rows. */
object HistoryOfStream extends (LogicalPlan => Unit) {
  def apply(plan: LogicalPlan): Unit = plan.foreach {
    case aggregate: Aggregate if aggregate.isStreaming =>
      aggregate.aggregateExpressions.foreach(_.foreach {
        case f: HistoryAggregate => throw Conditions.analysisError(
            "CHRONOSKETCH_HISTORY_OF_STREAM",
            f.origin,
            "function" -> f.prettyName
          )
        case _ =>
      })
    case _ =>
  }
}
