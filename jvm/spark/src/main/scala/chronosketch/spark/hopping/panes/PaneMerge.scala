package chronosketch.spark.hopping.panes

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.{BinaryType, DataType, ObjectType}

import chronosketch.sliding.fold.{Fold, TwoStacks}
import chronosketch.spark.aggregate.SketchMergeAggregate
import chronosketch.spark.rows.RowLimit
import chronosketch.spark.sketch.Ask
import chronosketch.spark.sql.{Conditions, SparkPrivates}
import chronosketch.summary.{Envelope, Summary}

/** Merges the panes of each frame. Tables and streams use it to merge panes into windows, and streams also to merge the rows of a pane
  * into one.
  *
  * Cost  a few merges a frame, however many panes it has; a summary is only encoded if it is an answer itself
  */
private[spark] final class PaneMerge(spec: MergeSpec) {
  private val task = TaskContext.get()
  private val rowLimit = new RowLimit
  private val unions = spec.sketches.map(new PaneUnions(_)).toArray
  private var rows: ArrayBuffer[InternalRow] = _
  private val fold = new BufferFold(spec.declared, spec.input, rows(_))
  private val buffers = new TwoStacks[InternalRow]

  // one row for all columns, because reading a joined row costs more than computing the answers
  private val columns = new Array[Any](spec.resultInput.length)
  private val row = new GenericInternalRow(columns)
  private val areAsked = spec.areAsked.toArray
  private val firstUnion = spec.supplied.length
  private val firstBuffer = firstUnion + unions.length
  private val result = UnsafeProjection.create(spec.results, spec.resultInput)

  /** Starts a list of frames.
    *
    * @param panes  the rows, in the order of their panes
    * @param number returns the number of row i's pane; sketches of one pane are merged once for all frames
    */
  def begin(panes: ArrayBuffer[InternalRow], number: Int => Long, frames: NumberedFrames): Unit = {
    rows = panes
    if (spec.declared.nonEmpty) buffers.begin(frames.frames, fold)
    unions.foreach(_.begin(panes, number, frames))
  }

  /** Sets a supplied column of the following frames, until it is set again. */
  def supply(column: Int, value: Any): Unit = columns(column) = value

  /** Sets the first supplied columns. The row must not change while they are used. */
  def supply(first: InternalRow): Unit = {
    var i = 0
    while (i < first.numFields) {
      columns(i) = first.get(i, spec.supplied(i).dataType)
      i += 1
    }
  }

  /** Releases what was merged for the last list of frames. */
  def end(): Unit = {
    unions.foreach(_.end())
    buffers.end()
  }

  /** How often many unions were computed at once. Between two such times the memory changes little. */
  def fills: Long = {
    var fills = 0L
    var s = 0
    while (s < unions.length) { fills += unions(s).fills; s += 1 }
    fills
  }

  /** The memory of unions, besides the rows. */
  def heldBytes: Long = {
    var bytes = 0L
    var s = 0
    while (s < unions.length) { bytes += unions(s).heldBytes; s += 1 }
    bytes
  }

  /** Returns the row of the next frame. It is valid until the next call. */
  def next(): UnsafeRow = {
    // thousands of frames follow each other without reading input
    SparkPrivates.endIfKilled(task)
    var s = 0
    while (s < unions.length) {
      columns(firstUnion + s) = if (areAsked(s)) unions(s).next() else unions(s).nextSealed()
      s += 1
    }
    if (unions.length > 1) rowLimit.require(columns)
    if (spec.declared.nonEmpty) {
      val buffer = buffers.next().asInstanceOf[GenericInternalRow].values
      System.arraycopy(buffer, 0, columns, firstBuffer, buffer.length)
    }
    result(row)
  }
}

/** Tells a task how to merge panes.
  *
  * @param input    the columns of a pane's row
  * @param supplied the columns that the caller supplies for each frame: its keys, start and end
  * @param merges   aggregate functions of the input: [[SketchMergeAggregate]] or Spark's declarative functions
  * @param merged   the result of each function
  * @param answers  a frame's output row, computed from the supplied columns and the merged ones
  */
private[spark] final case class MergeSpec(
    input: Seq[Attribute],
    supplied: Seq[Attribute],
    merges: Seq[Expression],
    merged: Seq[Attribute],
    answers: Seq[Expression]
) {
  private val (united, others) = merges.zip(merged).partition(_._1.isInstanceOf[SketchMergeAggregate])

  /** The inputs with stored sketches. */
  val sketches: Seq[Expression] = united.map { case (union, _) =>
    BindReferences.bindReference(union.asInstanceOf[SketchMergeAggregate].sketch, input)
  }

  val declared: Seq[DeclarativeAggregate] = others.map(_._1.asInstanceOf[DeclarativeAggregate])

  /** Whether a question reads each union in memory. Other unions are only needed as bytes. */
  val areAsked: Seq[Boolean] = united.map { case (_, merged) =>
    answers.exists(_.exists {
      case Ask(question, (sketch: Attribute) +: _, _) =>
        question.readsSummary && sketch.exprId == merged.exprId
      case _ => false
    })
  }

  /** The unions of a frame's sketches, in memory or as bytes. */
  val unions: Seq[Attribute] = areAsked.map { isAsked =>
    AttributeReference("sketch", if (isAsked) ObjectType(classOf[Summary]) else BinaryType)()
  }

  /** The input columns of [[results]]. */
  val resultInput: Seq[Attribute] = supplied ++ unions ++ declared.flatMap(_.aggBufferAttributes)

  /** The answers. A question about a union reads the summary in memory; a union that is an answer itself becomes bytes. */
  val results: Seq[Expression] = {
    val union = united.map(_._2.exprId).zip(unions).toMap
    val values: Map[ExprId, Expression] = union.map { case (id, column) =>
      id -> (if (column.dataType == BinaryType) column else SummaryBytes(column))
    } ++
      others.map(_._2.exprId).zip(declared.map(_.evaluateExpression))
    answers.map(_.transformDown {
      case ask @ Ask(question, (sketch: Attribute) +: rest, _)
          if question.readsSummary && union.contains(sketch.exprId) =>
        ask.copy(arguments = union(sketch.exprId) +: rest)
      case a: Attribute if values.contains(a.exprId) => values(a.exprId)
    })
  }
}

/** Merges the aggregation buffers of declarative functions. Element i is the buffer after row i alone. */
private[spark] final class BufferFold(
    functions: Seq[DeclarativeAggregate],
    input: Seq[Attribute],
    rows: Int => InternalRow
) extends Fold[InternalRow] {
  private val buffer = functions.flatMap(_.aggBufferAttributes)
  private val initial = MutableProjection.create(functions.flatMap(_.initialValues), Nil)
  private val update = MutableProjection.create(functions.flatMap(_.updateExpressions), buffer ++ input)
  private val both = MutableProjection.create(
    functions.flatMap(_.mergeExpressions),
    buffer ++ functions.flatMap(_.inputAggBufferAttributes)
  )
  private val pair = new JoinedRow

  def element(i: Int): InternalRow = {
    val values = new GenericInternalRow(buffer.length)
    initial.target(values)(InternalRow.empty)
    update.target(values)(pair(values, rows(i)))
    values
  }

  // a merge replaces the values of a buffer and does not change them, so that copies may share them
  def copy(joint: InternalRow): InternalRow =
    new GenericInternalRow(joint.asInstanceOf[GenericInternalRow].values.clone())

  def merge(older: InternalRow, newer: InternalRow): InternalRow = {
    both.target(older)(pair(older, newer))
    older
  }
}

/** Encodes a summary in memory, if the summary itself is an answer and leaves the operator. */
private[spark] final case class SummaryBytes(summary: Expression) extends UnaryExpression {
  override def prettyName: String = "summary_bytes"
  override def child: Expression = summary
  override def nullIntolerant: Boolean = true
  override def dataType: DataType = BinaryType

  override def nullSafeEval(value: Any): Any = Conditions.answering(SummaryBytes.Context) {
    Envelope.seal(value.asInstanceOf[Summary])
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj(prettyName, this)
    defineCodeGen(ctx, ev, value => s"(byte[]) $self.nullSafeEval($value)")
  }

  override protected def withNewChildInternal(newChild: Expression): SummaryBytes = copy(summary = newChild)
}

private[spark] object SummaryBytes {
  private val Context = Map("function" -> SketchMergeAggregate.Name)
}
