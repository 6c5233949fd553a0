package chronosketch.spark.hopping.stream

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, TimestampType}

import chronosketch.spark.hopping.panes.WindowAssigner

/** The end of the last window that has a pane. Rows of the pane that arrive later change no window. */
final case class Deadline(pane: Expression, assigner: WindowAssigner) extends UnaryExpression {
  override def prettyName: String = "deadline"
  override def child: Expression = pane
  override def nullIntolerant: Boolean = true
  override def dataType: DataType = TimestampType

  override protected def nullSafeEval(number: Any): Any =
    assigner.end(assigner.lastWith(number.asInstanceOf[Long]))

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val windows = ctx.addReferenceObj("assigner", assigner)
    defineCodeGen(ctx, ev, number => s"$windows.end($windows.lastWith($number))")
  }

  override protected def withNewChildInternal(newChild: Expression): Deadline = copy(pane = newChild)
}
