package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.types.{DataType, Decimal, DecimalType, LongType}

import chronosketch.Refusal
import chronosketch.domain.Domain
import chronosketch.spark.sql.{Arguments, Conditions, SqlValues}

/** Converts a decimal weight to a number of copies: its unscaled value. All weights of a column have the same scale, and quantiles
  * depend only on the ratios of weights.
  */
final case class DecimalCopies(child: Expression, function: String, written: String) extends UnaryExpression {
  override def dataType: DataType = LongType
  override def nullIntolerant: Boolean = true
  override def prettyName: String = "copies"
  override def toString: String = child.toString
  override def sql: String = child.sql

  def copies(weight: Decimal): Long = {
    val unscaled = SqlValues.decimalKey(weight, scale)
    if (unscaled >= 0) unscaled
    else {
      throw Conditions.runtimeError(
        Refusal("CHRONOSKETCH_INVALID_FREQUENCY", "frequency" -> weight.toJavaBigDecimal.toPlainString),
        Map("function" -> function, "sql" -> written)
      )
    }
  }

  @transient private lazy val scale = child.dataType.asInstanceOf[DecimalType].scale

  override protected def nullSafeEval(weight: Any): Any = copies(weight.asInstanceOf[Decimal])

  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = {
    val self = ctx.addReferenceObj("copies", this)
    defineCodeGen(ctx, ev, weight => s"$self.copies($weight)")
  }

  override protected def withNewChildInternal(c: Expression): DecimalCopies = copy(child = c)
}

object DecimalCopies {

  /** Converts a decimal frequency; any other is returned unchanged. */
  def of(function: String, frequency: Expression): Expression = frequency.dataType match {
    case d: DecimalType if d.precision <= Domain.MaxDecimalPrecision =>
      DecimalCopies(frequency, function, Arguments.unqualified(frequency))
    case _ => frequency
  }
}
