package chronosketch.spark.hopping.panes

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{BinaryType, DataType}

import chronosketch.spark.aggregate.SketchMergeAggregate
import chronosketch.spark.sql.Conditions
import chronosketch.summary.{Envelope, Summary}

/** A window's summary as the bytes that it is outside the operator. */
private[spark] final case class Sealed(summary: Expression) extends UnaryExpression {
  override def prettyName: String = "sealed"
  override def child: Expression = summary
  override def nullIntolerant: Boolean = true
  override def dataType: DataType = BinaryType

  override def nullSafeEval(value: Any): Any = Conditions.answering(Sealed.Context) {
    Envelope.seal(value.asInstanceOf[Summary])
  }

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj(prettyName, this)
    defineCodeGen(ctx, ev, value => s"(byte[]) $self.nullSafeEval($value)")
  }

  override protected def withNewChildInternal(newChild: Expression): Sealed = copy(summary = newChild)
}

private[spark] object Sealed {
  private val Context = Map("function" -> SketchMergeAggregate.Name)
}
