package chronosketch.spark.sliding.keys

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{BitwiseNot, Cast, Expression, Literal, UnaryExpression}
import org.apache.spark.sql.types._

import chronosketch.spark.sql.SqlValues

/** The key of a value. Keys sort like their values. NULL for NULL. */
final case class KeyOf(child: Expression) extends UnaryExpression {
  @transient private lazy val values: SqlValues = SqlValues.of(child.dataType).get

  override def dataType: DataType = LongType
  override protected def nullSafeEval(value: Any): Any = values.key(value)
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, values.keyCode)
  override protected def withNewChildInternal(newChild: Expression): KeyOf = KeyOf(newChild)
}

object KeyOf {

  /** The key, or its complement for descending order. None if values of the type have no keys. */
  def of(e: Expression, isDescending: Boolean = false): Option[Expression] = {
    val key = e.dataType match {
      case NullType => Some(Literal(null, LongType))
      case BooleanType => Some(KeyOf(Cast(e, ByteType)))
      case other => SqlValues.of(other).map(_ => KeyOf(e))
    }
    if (isDescending) key.map(BitwiseNot(_)) else key
  }
}

/** The raw bits of a double: NaNs and zeros are not normalised. NULL for NULL. */
final case class BitsOf(child: Expression) extends UnaryExpression {
  override def dataType: DataType = LongType
  override protected def nullSafeEval(value: Any): Any =
    java.lang.Double.doubleToRawLongBits(value.asInstanceOf[Double])
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode =
    defineCodeGen(ctx, ev, value => s"java.lang.Double.doubleToRawLongBits($value)")
  override protected def withNewChildInternal(newChild: Expression): BitsOf = BitsOf(newChild)
}
