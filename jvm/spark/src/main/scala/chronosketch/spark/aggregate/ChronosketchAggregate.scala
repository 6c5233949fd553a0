package chronosketch.spark.aggregate

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateFunction, TypedImperativeAggregate}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types.{BinaryType, DataType}

import chronosketch.Refusal
import chronosketch.grouped.NumberedPart
import chronosketch.spark.sql.{Arguments, Conditions, WrittenCall}
import chronosketch.summary.{Envelope, Recipe, Summary}

/** Records what the planner has decided about an aggregate function.
  *
  * @param note why Spark's own operator runs it, if that is decided
  * @param mutableAggBufferOffset the position of its buffer among those of an operator
  * @param inputAggBufferOffset   the position of its buffer in a row of partial results
  */
final case class Planned(
    note: Option[String] = None,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
)

/** An aggregate function of chronosketch, as Spark's own operators run it. A subclass is a case class of the arguments and what is
  * planned.
  *
  * @tparam B the buffer of a group
  */
abstract class ChronosketchAggregate[B](planned: Planned)
    extends TypedImperativeAggregate[B]
    with Serializable { // Java restores a base class that is not serialisable by a constructor without parameters

  /** Copies the function with other decisions of the planner. */
  protected def withPlanned(planned: Planned): ChronosketchAggregate[B]

  final protected val mutableAggBufferOffset: Int = planned.mutableAggBufferOffset
  final protected val inputAggBufferOffset: Int = planned.inputAggBufferOffset

  final override def withNewMutableAggBufferOffset(offset: Int): ChronosketchAggregate[B] =
    withPlanned(planned.copy(mutableAggBufferOffset = offset))

  final override def withNewInputAggBufferOffset(offset: Int): ChronosketchAggregate[B] =
    withPlanned(planned.copy(inputAggBufferOffset = offset))

  // a function that returns a sketch; functions that return anything else override these
  override def nullable: Boolean = false
  override def dataType: DataType = BinaryType

  /** The result without rows, in a correlated subquery and in an aggregate next to two DISTINCTs. */
  override def defaultResult: Option[Literal] =
    if (nullable) None else Some(Literal.create(eval(createAggregationBuffer()), dataType))

  /** Why Spark's own operator runs it, if the planner has decided that. */
  final def note: Option[String] = planned.note

  /** Whether it is known that the rows are not those of a stream, whose buffers are stored in checkpoints. The planner gives a reason only
    * to functions of tables.
    */
  final protected def isOfTable: Boolean = note.nonEmpty

  /** Copies the function with the reason why Spark's own operator runs it, for EXPLAIN. */
  final def noted(why: String): ChronosketchAggregate[B] = withPlanned(planned.copy(note = Some(why)))

  final override def sql: String = sql(isDistinct = false)

  final override def sql(isDistinct: Boolean): String =
    WrittenCall.columnName(this, isDistinct).getOrElse(fullSql(isDistinct))

  /** The call with all its arguments, as SQL. */
  protected def fullSql(isDistinct: Boolean): String = super.sql(isDistinct)

  /** The call as EXPLAIN shows it, without Spark's expression ids: plans that differ only in these ids are equal. */
  def text: String = children.map(Arguments.unqualified).mkString(s"$prettyName(", ", ", ")")

  override protected def flatArguments: Iterator[Any] = children.iterator

  override def toAggString(isDistinct: Boolean): String = {
    val arguments = (if (isDistinct) "distinct " else "") + flatArguments.mkString(", ")
    s"$prettyName($arguments)$noteText"
  }

  protected def noteText: String = note.fold("")(why => s" [Spark's own operator: $why]")
}

/** An aggregate function that can run in chronosketch's operator, in generated code, instead of Spark's own. */
trait SketchFunction extends AggregateFunction {

  /** The column that it summarises, restricted to the rows that pass a filter. */
  def column(filter: Option[Expression]): SketchColumn

  /** The call, answered from the summaries of the sketch column with this index. */
  def call(column: Int): FunctionCall

  def note: Option[String]
  def noted(why: String): AggregateFunction
}

/** Builds a summary of rows and answers from it. A subclass says what a row adds to the summary, and what the answer is.
  *
  * Cost    that of [[RowReader]] for each row
  * Memory  a summary for each group
  */
abstract class SummaryAggregate(planned: Planned)
    extends ChronosketchAggregate[PartsBuffer](planned)
    with SketchFunction {

  /** Tells what rows add to a summary. Only called once the arguments are checked. */
  protected def kind: RowInput

  @transient private lazy val ownColumn: SketchColumn = column(None)
  // its text is built once for each task, and not used there
  @transient private lazy val ownCall: FunctionCall = call(0)
  @transient private lazy val reader: RowReader = new RowReader(ownColumn, kind)

  // created in the task, so that each partition has its own random stream
  @transient private lazy val taskRecipe: Recipe[Summary] = kind.recipe.inPart(TaskContext.getPartitionId())

  private def context: Map[String, String] = ownColumn.context

  override def createAggregationBuffer(): PartsBuffer = new PartsBuffer(SummaryAggregate.merged)

  override def update(buffer: PartsBuffer, row: InternalRow): PartsBuffer = {
    val read = reader
    if (read.read(row) && ownColumn.filter.forall(java.lang.Boolean.TRUE == _.eval(row))) {
      // this runs for every row: a try is free, a closure would allocate an object
      try read.kind.insert(started(buffer), read)
      catch { case refusal: Refusal => throw ownColumn.refused(refusal) }
    }
    buffer
  }

  private def started(buffer: PartsBuffer): Summary = {
    if (buffer.isEmpty) buffer.start(taskRecipe.empty)
    buffer.summary
  }

  override def merge(buffer: PartsBuffer, other: PartsBuffer): PartsBuffer = {
    Conditions.answering(context)(buffer.addAll(other))
    buffer
  }

  override def eval(buffer: PartsBuffer): Any =
    Conditions.answering(context)(ownCall.evaluate(started(buffer)))

  override def serialize(buffer: PartsBuffer): Array[Byte] = Conditions.answering(context) {
    if (buffer.isEmpty) Envelope.seal(taskRecipe.empty) else buffer.bytes(mayList = isOfTable, numbered)
  }

  private def numbered(part: Array[Byte]): Array[Byte] =
    if (isOfTable) NumberedPart.of(taskRecipe, part, areRows = false) else part

  override def deserialize(bytes: Array[Byte]): PartsBuffer = {
    val buffer = createAggregationBuffer()
    buffer.addBytes(bytes)
    buffer
  }
}

private object SummaryAggregate {
  private def merged(into: Summary, that: Summary): Summary = {
    into.merge(that)
    into
  }
}
