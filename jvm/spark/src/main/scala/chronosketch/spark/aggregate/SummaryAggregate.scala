package chronosketch.spark.aggregate

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate

import chronosketch.Refusal
import chronosketch.families.Families
import chronosketch.spark.sql.{Conditions, Phis, SqlValues}
import chronosketch.summary.{Envelope, Recipe, Summary}

/** Builds a summary of a column of values and answers one question of it, in Spark's own operators.
  *
  * Cost  as [[RowReader]] a row; a summary a group
  */
abstract class SummaryAggregate[S <: Summary] extends TypedImperativeAggregate[S] with SketchFunction {

  /** What summaries are made of, once the arguments are known to be right. */
  protected def recipe: Recipe[S]

  /** Puts into a summary what was read of a row. */
  protected def insert(summary: S, row: RowReader): Unit

  /** The type of what is measured. */
  protected def values: SqlValues
  protected def answer: Answer
  protected def phis: Phis

  /** What messages name. */
  protected def context: Map[String, String]

  @transient private lazy val own: SketchColumn = column(None)
  @transient private lazy val reader: RowReader = new RowReader(own, values)

  override protected def flatArguments: Iterator[Any] = children.iterator

  // made where the rows are: what is random differs from part to part
  @transient private lazy val ofPart: Recipe[S] = recipe.inPart(TaskContext.getPartitionId())

  override def createAggregationBuffer(): S = ofPart.empty

  override def update(summary: S, row: InternalRow): S = {
    if (reader.read(row) && own.filter.forall(java.lang.Boolean.TRUE == _.eval(row))) {
      // once a row: a try costs nothing, a closure would be an object
      try insert(summary, reader)
      catch { case refusal: Refusal => throw Conditions.runtimeError(refusal, context) }
    }
    summary
  }

  override def merge(summary: S, other: S): S = {
    Conditions.answering(context)(summary.merge(other))
    summary
  }

  override def eval(summary: S): Any = Conditions.answering(context)(answer.of(summary, values, phis))

  override def serialize(summary: S): Array[Byte] =
    Conditions.answering(context)(Envelope.seal(summary))

  override def deserialize(bytes: Array[Byte]): S = recipe.family.own(Families.open(bytes))
}
