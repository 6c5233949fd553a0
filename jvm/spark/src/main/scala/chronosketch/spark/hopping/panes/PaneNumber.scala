package chronosketch.spark.hopping.panes

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, LongType}

/** The number of the pane that contains a time. Pane n is [from + n · width, from + (n + 1) · width) in microseconds. Times before the
  * epoch have negative numbers.
  */
final case class PaneNumber(time: Expression, width: Long, from: Long = 0L) extends UnaryExpression {
  override def prettyName: String = "pane"
  override def child: Expression = time
  override def nullIntolerant: Boolean = true
  override def dataType: DataType = LongType

  override protected def nullSafeEval(micros: Any): Any =
    Math.floorDiv(micros.asInstanceOf[Long] - from, width)

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, micros => s"Math.floorDiv($micros - ${from}L, ${width}L)")

  override protected def withNewChildInternal(newChild: Expression): PaneNumber = copy(time = newChild)
}
