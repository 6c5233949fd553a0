package chronosketch.spark.aggregate

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate

import chronosketch.Refusal
import chronosketch.families.Families
import chronosketch.spark.sql.{Conditions, Phis, SqlValues}
import chronosketch.summary.{Envelope, Recipe, Summary}

/** Builds a summary of a column of values and answers one question about it, in Spark's own operators.
  *
  * Cost    that of [[RowReader]] for each row
  * Memory  a summary for each group
  */
abstract class SummaryAggregate[S <: Summary] extends TypedImperativeAggregate[S] with SketchFunction {

  /** Creates the summaries. Only called once the arguments are checked. */
  protected def recipe: Recipe[S]

  /** Inserts the row that the reader has read. */
  protected def insert(summary: S, row: RowReader): Unit

  /** Converts values of the measured type to keys and back. */
  protected def values: SqlValues
  protected def answer: Answer
  protected def phis: Phis

  /** The parameters of error messages. */
  protected def context: Map[String, String]

  @transient private lazy val own: SketchColumn = column(None)
  @transient private lazy val reader: RowReader = new RowReader(own, values)

  override protected def flatArguments: Iterator[Any] = children.iterator

  // created in the task, so that each partition has its own random stream
  @transient private lazy val partRecipe: Recipe[S] = recipe.inPart(TaskContext.getPartitionId())

  override def createAggregationBuffer(): S = partRecipe.empty

  override def update(summary: S, row: InternalRow): S = {
    if (reader.read(row) && own.filter.forall(java.lang.Boolean.TRUE == _.eval(row))) {
      // this runs for every row: a try is free, a closure would allocate an object
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
