package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate

import chronosketch.Refusal
import chronosketch.spark.sql.{Conditions, Phis, SqlValues}
import chronosketch.summary.{Envelope, Family, Summary, Timed}

/** Builds a summary of a column of values and answers one question of it, in Spark's own operators.
  *
  * Cost  as [[RowReader]] a row; a summary a group
  */
abstract class SummaryAggregate extends TypedImperativeAggregate[Summary] with SketchFunction {

  /** Of what summarises, once the arguments are known to be right. */
  protected def family: Family
  protected def parameters: Array[Double]

  /** The type of what is measured. */
  protected def values: SqlValues
  protected def answer: Answer
  protected def phis: Phis

  /** What messages name. */
  protected def context: Map[String, String]

  @transient private lazy val own: SketchColumn = column(None)
  @transient private lazy val reader: RowReader = new RowReader(own, values)

  override protected def flatArguments: Iterator[Any] = children.iterator

  override def createAggregationBuffer(): Summary = family.empty(values.domain, parameters)

  override def update(summary: Summary, row: InternalRow): Summary = {
    if (reader.read(row) && own.filter.forall(java.lang.Boolean.TRUE == _.eval(row))) {
      // once a row: a try costs nothing, a closure would be an object
      try insert(summary)
      catch { case refusal: Refusal => throw Conditions.runtimeError(refusal, context) }
    }
    summary
  }

  private def insert(summary: Summary): Unit =
    if (reader.isTimed) summary.asInstanceOf[Timed].insert(reader.key, reader.time, reader.passed)
    else if (reader.isWeighted) summary.insert(reader.key, SketchColumn.natural(reader.copies))
    else summary.insert(reader.key)

  override def merge(summary: Summary, other: Summary): Summary = {
    Conditions.answering(context)(summary.merge(other))
    summary
  }

  override def eval(summary: Summary): Any = Conditions.answering(context)(answer.of(summary, values, phis))

  override def serialize(summary: Summary): Array[Byte] =
    Conditions.answering(context)(Envelope.seal(summary))

  override def deserialize(bytes: Array[Byte]): Summary = Envelope.open(bytes)
}
