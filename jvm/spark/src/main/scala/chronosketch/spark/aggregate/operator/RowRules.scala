package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.NoOp

import chronosketch.Refusal
import chronosketch.spark.aggregate.{SketchColumn, StoredSketches, Values}
import chronosketch.spark.sql.SqlValues

/** One of Spark's own functions: how its part of the buffer changes with a row.
  *
  * @param changes bound to the buffer and the input, for its columns of the buffer
  * @param from    where these begin
  */
final case class BufferRule(from: Int, changes: Seq[Expression], filter: Option[Expression])

/** How a row is aggregated, and a group put out, by evaluating expressions: where code cannot be generated, and where groups
  * come back from disk.
  *
  * @param keys    bound to the input
  * @param columns bound to the input
  * @param buffers bound to the buffer, then the input; filters to the input
  * @param output  bound to the keys, then the sketches or answers, then the buffer
  */
final case class RowRules(
    keys: Seq[Expression],
    columns: Seq[SketchColumn],
    buffers: Seq[BufferRule],
    bufferWidth: Int,
    output: Seq[Expression],
    isFinal: Boolean
) {

  /** Aggregates rows into a state. */
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
        if (columnFilters(i).forall(_.eval(row))) collect(i, group, row)
        i += 1
      }
    }

    private def collect(i: Int, group: Int, row: InternalRow): Unit = {
      val value = columns(i).input.eval(row)
      if (value != null) columns(i).recipe match {
        case _ if rules.isFinal => state.merge(i, group, value.asInstanceOf[Array[Byte]])
        case StoredSketches => state.mergeStored(i, group, value.asInstanceOf[Array[Byte]])
        case values: Values =>
          val key = values.door.key(value)
          columns(i).copies match {
            case None if columns(i).time.nonEmpty => collectTimed(i, group, key, row)
            case None =>
              try state.column(i).insert(group, key)
              catch { case refusal: Refusal => throw state.refused(i, refusal) }
            case Some(copies) =>
              val n = copies.eval(row)
              if (n != null) state.insert(i, group, key, n.asInstanceOf[Number].longValue)
          }
      }
    }

    private def collectTimed(i: Int, group: Int, key: Long, row: InternalRow): Unit = {
      val time = columns(i).time.get
      val at = time.eval(row)
      if (at != null) {
        val passed = columns(i).conditions.zipWithIndex.foldLeft(0) { case (bits, (condition, bit)) =>
          if (java.lang.Boolean.TRUE == condition.eval(row)) bits | 1 << bit else bits
        }
        state.insertTimed(i, group, key, SqlValues.of(time.dataType).get.key(at), passed)
      }
    }

    /** A group as it is put out, until the next call. */
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
