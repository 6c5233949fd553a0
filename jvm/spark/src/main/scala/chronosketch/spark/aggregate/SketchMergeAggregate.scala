package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.types.BinaryType

import chronosketch.families.Families
import chronosketch.spark.sql.{Arguments, Conditions}
import chronosketch.summary.{Envelope, Summary}

/** Merges stored sketches of one family. NULL sketches are skipped; without sketches the result is NULL. */
final case class SketchMergeAggregate(
    sketch: Expression,
    planned: Planned = Planned()
) extends ChronosketchAggregate[SketchUnion](planned)
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

  override def createAggregationBuffer(): SketchUnion = new SketchUnion(null)

  override def update(union: SketchUnion, row: InternalRow): SketchUnion = {
    val bytes = sketch.eval(row)
    if (bytes != null)
      Conditions.answering(context)(union.add(Families.open(bytes.asInstanceOf[Array[Byte]])))
    union
  }

  override def merge(union: SketchUnion, other: SketchUnion): SketchUnion = {
    if (other.summary != null) Conditions.answering(context)(union.add(other.summary))
    union
  }

  override def eval(union: SketchUnion): Any =
    if (union.summary == null) null else Conditions.answering(context)(Envelope.seal(union.summary))

  override def serialize(union: SketchUnion): Array[Byte] =
    if (union.summary == null) Array.emptyByteArray
    else Conditions.answering(context)(Envelope.seal(union.summary))

  override def deserialize(bytes: Array[Byte]): SketchUnion =
    new SketchUnion(if (bytes.isEmpty) null else Families.open(bytes))

  override protected def withNewChildInternal(child: Expression): SketchMergeAggregate = copy(sketch = child)
}

object SketchMergeAggregate {
  val Name = "sketch_merge_agg"
}

/** Accumulates the union of sketches; its summary is null before the first one. */
final class SketchUnion(var summary: Summary) {
  def add(other: Summary): Unit = summary = if (summary == null) other else Summary.union(summary, other)
}
