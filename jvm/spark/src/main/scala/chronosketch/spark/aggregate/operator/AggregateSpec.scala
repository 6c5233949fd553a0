package chronosketch.spark.aggregate.operator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateMode, Final, NoOp, Partial}
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.DataType

import chronosketch.spark.aggregate.{FunctionCall, RowReader, SketchColumn}
import chronosketch.spark.rows.KeyTuples

/** Everything that a task needs to know about an aggregation.
  *
  * @param keys     the types of the grouping columns
  * @param columns  the columns that are summarised, bound to the input
  * @param calls    the calls answered from the summaries; empty if the summaries' bytes are output
  * @param initial  the initial values of the buffers of Spark's own functions
  * @param mode     whether the input is rows or partial results, and the output is partial results or answers
  * @param rows     aggregates a row outside generated code
  * @param keepsParts whether the partial results of a group are kept until all have arrived, and then merged in an order that does not
  *                 depend on how they arrived. Not needed if they always arrive in the same order
  * @param keepsStored the same for stored sketches of the input
  */
final case class AggregateSpec(
    keys: Seq[DataType],
    columns: Seq[SketchColumn],
    calls: Seq[FunctionCall],
    initial: Seq[Expression],
    mode: AggregateMode,
    rows: RowRules,
    metrics: Map[String, SQLMetric],
    keepsParts: Boolean,
    keepsStored: Boolean
) {
  def isFinal: Boolean = mode == Final
  def mergesParts: Boolean = mode != Partial
  def isKeyed: Boolean = keys.nonEmpty

  /** Whether each grouping key is numbered by itself. */
  def numbersKeys: Boolean = KeyTuples.fit(keys)

  /** Whether groups may be output before the input ends. The same groups may then be output again. */
  def flushesPartially: Boolean = isKeyed && !isFinal

  /** Whether the groups are output in an order that their keys decide, because the task that merges them further does so as they come. */
  def sortsGroups: Boolean = isKeyed && keepsParts && !isFinal

  /** Whether rows are buffered so that their groups are looked up together. Only for plain values, or values with times. */
  def isBatched: Boolean = numbersKeys && !mergesParts && initial.isEmpty && columns.forall(_.isPlain)

  def newState(): AggregateState = newState(TaskContext.getPartitionId())

  /** The state of a part of the rows. The number of the part chooses the random stream of samples. */
  def newState(part: Int): AggregateState = new AggregateState(this, part)

  def initialBuffer: UnsafeRow = UnsafeProjection.create(initial)(null).copy()
}

/** Updates the part of the buffer that belongs to one of Spark's own functions.
  *
  * @param changes the new values of its columns of the buffer, bound to the buffer and the input
  * @param from    the position of the first of these columns
  */
final case class BufferRule(from: Int, changes: Seq[Expression], filter: Option[Expression])

/** Aggregates rows and outputs groups by evaluating expressions. Used if code cannot be generated, and for groups read back from disk.
  *
  * @param keys    the grouping keys, bound to the input
  * @param columns the columns that are summarised, bound to the input
  * @param buffers the updates of Spark's functions, bound to the buffer and then the input; their filters are bound to the input
  * @param output  the output row, bound to the keys, then the sketches or answers, then the buffer
  */
final case class RowRules(
    keys: Seq[Expression],
    columns: Seq[SketchColumn],
    buffers: Seq[BufferRule],
    bufferWidth: Int,
    output: Seq[Expression],
    mode: AggregateMode
) {
  private val isFinal = mode == Final
  private val mergesParts = mode != Partial

  /** An aggregator that inserts rows into a state. */
  def into(state: AggregateState, partition: Int): RowRules.Aggregator =
    new RowRules.Aggregator(this, state, partition)
}

object RowRules {
  final class Aggregator(rules: RowRules, state: AggregateState, partition: Int) {
    private val keyOf = UnsafeProjection.create(rules.keys)
    private val changes = rules.buffers.map { rule =>
      val after = rules.bufferWidth - rule.from - rule.changes.length
      MutableProjection.create(Seq.fill(rule.from)(NoOp) ++ rule.changes ++ Seq.fill(after)(NoOp), Nil)
    }.toArray
    private val filters = rules.buffers.map(_.filter.map(Predicate.create)).toArray
    private val columns = rules.columns.toArray
    // null if the input is the bytes of summaries
    private val readers: Array[RowReader] =
      columns.map(column => if (rules.mergesParts) null else column.kind.reader(column).orNull)
    private val columnFilters = rules.columns.map(_.filter.map(Predicate.create)).toArray
    private val joined = new JoinedRow
    private lazy val output = UnsafeProjection.create(rules.output)
    keyOf.initialize(partition)
    changes.foreach(_.initialize(partition))
    (filters ++ columnFilters).flatten.foreach(_.initialize(partition))

    def add(row: InternalRow): Unit = {
      val group = state.groupKeys.find(keyOf(row))
      if (changes.nonEmpty) {
        val buffer = state.buffer(group)
        var i = 0
        while (i < changes.length) {
          if (filters(i).forall(_.eval(row))) changes(i).target(buffer)(joined(buffer, row))
          i += 1
        }
      }
      var i = 0
      while (i < columns.length) {
        if (columnFilters(i).forall(_.eval(row))) insert(i, group, row)
        i += 1
      }
    }

    private def insert(i: Int, group: Int, row: InternalRow): Unit =
      if (readers(i) != null) {
        if (readers(i).read(row)) state.insert(i, group, readers(i))
      } else {
        val bytes = columns(i).input.eval(row).asInstanceOf[Array[Byte]]
        if (bytes != null) {
          if (rules.mergesParts) state.merge(i, group, bytes) else state.mergeStored(i, group, bytes)
        }
      }

    /** The output row of a group, valid until the next call. */
    def result(group: Int, width: Int): UnsafeRow = {
      val answers = new Array[Any](width)
      var i = 0
      while (i < width) {
        answers(i) = if (rules.isFinal) state.answer(i, group) else state.seal(i, group)
        i += 1
      }
      val keysAndAnswers = new JoinedRow(state.groupKeys.row(group), new GenericInternalRow(answers))
      output(if (changes.isEmpty) keysAndAnswers else joined(keysAndAnswers, state.buffer(group)))
    }
  }
}
