package chronosketch.spark.aggregate.operator

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.Block._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode, FalseLiteral}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, Decimal, DecimalType}

/** The value 1.5 of type DECIMAL(10,2), with a scale of 1 at run time. Spark allows this internally, but SQL cannot produce it. */
final case class LooseDecimal(child: Expression) extends UnaryExpression {
  override def dataType: DataType = DecimalType(10, 2)
  override def nullable: Boolean = false
  override def eval(input: InternalRow): Any = Decimal(BigDecimal("1.5"))

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    ev.copy(
      code = code"""Decimal ${ev.value} = Decimal.apply(new java.math.BigDecimal("1.5"));""",
      isNull = FalseLiteral
    )

  override protected def withNewChildInternal(newChild: Expression): LooseDecimal = copy(child = newChild)
}
