package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.types.BinaryType

import chronosketch.spark.sql.{Arguments, Conditions}
import chronosketch.summary.{Envelope, Summary}

/** Merges stored sketches of one family. NULL sketches are skipped; without sketches the result is NULL. */
final case class SketchMergeAggregate(
    sketch: Expression,
    planned: Planned = Planned()
) extends ChronosketchAggregate[PartsBuffer](planned)
    with UnaryLike[Expression]
    with SketchFunction {

  override def prettyName: String = SketchMergeAggregate.Name
  override def child: Expression = sketch
  override def nullable: Boolean = true

  @transient private lazy val context: Map[String, String] =
    Map("function" -> prettyName, "sketch" -> Arguments.written("sketch", sketch))

  def column(filter: Option[Expression]): SketchColumn =
    SketchColumn(StoredSketches, sketch, filter, context)

  def call(column: Int): FunctionCall = FunctionCall(prettyName, text, column, AsSketch, BinaryType)

  protected def withPlanned(planned: Planned): SketchMergeAggregate = copy(planned = planned)

  override def checkInputDataTypes(): TypeCheckResult = Arguments.checkSketch(1, sketch)

  override def createAggregationBuffer(): PartsBuffer = new PartsBuffer(Summary.union)

  override def update(buffer: PartsBuffer, row: InternalRow): PartsBuffer = {
    val bytes = sketch.eval(row)
    if (bytes != null) Conditions.answering(context)(buffer.addStored(bytes.asInstanceOf[Array[Byte]]))
    buffer
  }

  override def merge(buffer: PartsBuffer, other: PartsBuffer): PartsBuffer = {
    Conditions.answering(context)(buffer.addAll(other))
    buffer
  }

  override def eval(buffer: PartsBuffer): Any =
    if (buffer.isEmpty) null else Conditions.answering(context)(Envelope.seal(buffer.summary))

  override def serialize(buffer: PartsBuffer): Array[Byte] =
    Conditions.answering(context)(buffer.bytes(mayList = isOfTable))

  override def deserialize(bytes: Array[Byte]): PartsBuffer = {
    val buffer = createAggregationBuffer()
    buffer.addBytes(bytes)
    buffer
  }

  override protected def withNewChildInternal(child: Expression): SketchMergeAggregate = copy(sketch = child)
}

object SketchMergeAggregate {
  val Name = "sketch_merge_agg"
}
