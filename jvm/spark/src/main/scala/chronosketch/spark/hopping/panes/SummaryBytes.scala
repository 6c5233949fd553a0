package chronosketch.spark.hopping.panes

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{BinaryType, DataType}

import chronosketch.spark.aggregate.SketchMergeAggregate
import chronosketch.spark.sql.Conditions
import chronosketch.summary.{Envelope, Summary}

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
