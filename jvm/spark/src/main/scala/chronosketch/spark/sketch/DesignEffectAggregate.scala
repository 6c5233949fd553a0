package chronosketch.spark.sketch

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.types.{DataType, DoubleType, NullType, NumericType, StructType}

import chronosketch.comparison.DesignEffect
import chronosketch.spark.sql.{Arguments, Conditions}

/** `quantile_design_effect_agg(count_below, count)`: the design effect of a quantile, from counts of each user. Its buffer has sums only. */
final case class DesignEffectAggregate(
    below: Expression,
    count: Expression,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends ImperativeAggregate
    with BinaryLike[Expression] {
  override def prettyName: String = DesignEffectAggregate.Name
  def left: Expression = below
  def right: Expression = count
  def dataType: DataType = DoubleType
  def nullable: Boolean = true

  val aggBufferAttributes: Seq[AttributeReference] =
    Seq.tabulate(DesignEffect.Sums)(i => AttributeReference(s"sum$i", DoubleType, nullable = false)())
  val inputAggBufferAttributes: Seq[AttributeReference] = aggBufferAttributes.map(_.newInstance())
  def aggBufferSchema: StructType =
    aggBufferAttributes.foldLeft(new StructType())((s, a) => s.add(a.name, DoubleType, nullable = false))

  override def checkInputDataTypes(): TypeCheckResult =
    Arguments.all(() => checkNumber(1, below), () => checkNumber(2, count))

  private def checkNumber(position: Int, e: Expression): TypeCheckResult = e.dataType match {
    case _: NumericType | NullType => TypeCheckSuccess
    case _ => Arguments.unexpectedType(position, "NUMERIC", e)
  }

  def initialize(buffer: InternalRow): Unit =
    aggBufferAttributes.indices.foreach(i => buffer.setDouble(mutableAggBufferOffset + i, 0.0))

  def update(buffer: InternalRow, input: InternalRow): Unit = {
    val (b, n) = (below.eval(input), count.eval(input))
    if (b != null && n != null) Conditions.answering(Map("function" -> prettyName)) {
      DesignEffect.add(Arguments.number(b), Arguments.number(n))(addTo(buffer))
    }
  }

  def merge(buffer: InternalRow, input: InternalRow): Unit =
    aggBufferAttributes.indices.foreach(i => addTo(buffer)(i, input.getDouble(inputAggBufferOffset + i)))

  private def addTo(buffer: InternalRow)(i: Int, x: Double): Unit = {
    val at = mutableAggBufferOffset + i
    buffer.setDouble(at, buffer.getDouble(at) + x)
  }

  def eval(buffer: InternalRow): Any =
    DesignEffect.of(i => buffer.getDouble(mutableAggBufferOffset + i)).fold(null: Any)(identity)

  def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate = copy(mutableAggBufferOffset = offset)
  def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate = copy(inputAggBufferOffset = offset)

  protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): DesignEffectAggregate =
    copy(below = newLeft, count = newRight)
}

object DesignEffectAggregate {
  val Name = "quantile_design_effect_agg"
}
