package chronosketch.spark.sql

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.{DataTypeMismatch, TypeCheckSuccess}
import org.apache.spark.sql.catalyst.expressions.Cast.{ordinalNumber, toSQLExpr, toSQLId, toSQLType}
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference,
  Expression,
  GetStructField,
  Literal,
  RuntimeReplaceable
}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._

import chronosketch.Refusal
import chronosketch.rank.Phi
import chronosketch.summary.{Parameter, Summary}

/** Checks the arguments of functions while a query is analysed. Each error names the argument, its value and what is allowed. */
object Arguments {

  /** Runs checks in order. Returns the first failure, or success. */
  def all(checks: (() => TypeCheckResult)*): TypeCheckResult =
    checks.iterator.map(_.apply()).find(_.isFailure).getOrElse(TypeCheckSuccess)

  /** The value of a constant expression. */
  def constant(e: Expression): Any = e.transform { case r: RuntimeReplaceable => r.replacement }.eval()

  /** The text by which a message names an argument. A column, a field of a column or a constant is shown as the user wrote it. Anything
    * else is shown by the argument's name, because the optimizer may have rewritten it to something that no query can contain.
    */
  def written(name: String, e: Expression): String = if (isAsWritten(e)) unqualified(e) else name

  private def isAsWritten(e: Expression): Boolean = e match {
    case column: AttributeReference => !NamedBySpark.matches(column.name)
    case field: GetStructField => isAsWritten(field.child)
    case _ => e.isInstanceOf[Literal]
  }

  /** The names of columns that Spark computes before a window or an aggregation. */
  private val NamedBySpark = "_(w\\d+|gen_alias_.*|extract_.*|groupingexpression|common_expr_.*)".r

  /** The SQL of an expression with unqualified column names, as a query spells them. A subquery without an alias has a qualifier that
    * only Spark knows.
    */
  def unqualified(e: Expression): String =
    e.transform { case a: AttributeReference => a.withQualifier(Nil) }.sql

  /** Checks that values have a type with keys. Otherwise the error names the cast that helps. */
  def checkValue(
      function: String,
      argument: String,
      e: Expression,
      types: ValueTypes = ValueTypes.All
  ): TypeCheckResult = {
    if (KeyCodec.of(e.dataType).isEmpty) refuseType(function, argument, e, types)
    TypeCheckSuccess
  }

  def refuseType(function: String, argument: String, e: Expression, types: ValueTypes): Nothing =
    refuseType(function, argument, e, types.text, types.hint(e.dataType, unqualified(e)))

  /** Rejects an array whose elements have a type without keys. */
  def refuseElements(function: String, argument: String, e: Expression, element: DataType): Nothing = {
    val types = ValueTypes.All
    refuseType(function, argument, e, types.text, types.hintForElements(element, unqualified(e)))
  }

  /** Rejects an argument of another type than those that a text names. */
  def refuseType(
      function: String,
      argument: String,
      e: Expression,
      types: String,
      hint: String
  ): Nothing =
    throw Conditions.analysisError(
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      e.origin,
      "function" -> function,
      "argument" -> argument,
      "types" -> types,
      "sql" -> toSQLExpr(e),
      "type" -> toSQLType(e.dataType),
      "hint" -> hint
    )

  def checkSketch(position: Int, e: Expression): TypeCheckResult = e.dataType match {
    case BinaryType | NullType => TypeCheckSuccess
    case ObjectType(itself) if itself == classOf[Summary] => TypeCheckSuccess
    case _ => unexpectedType(position, "BINARY", e)
  }

  /** Checks a constant number within a parameter's range. */
  def checkParameter(parameter: Parameter, position: Int, e: Expression): TypeCheckResult =
    checkConstant(parameter.name, "DOUBLE", e) {
      e.dataType match {
        case _: NumericType =>
          val value = number(constant(e))
          if (parameter.allows(value)) TypeCheckSuccess
          else outOfRange(parameter.name, parameter.range, value.toString + Accuracy.hint(parameter, value))
        case _ => unexpectedType(position, "NUMERIC", e)
      }
    }

  /** Checks that an argument is constant and not NULL, then runs the check `further`. */
  def checkConstant(
      name: String,
      inputType: String,
      e: Expression
  )(further: => TypeCheckResult): TypeCheckResult =
    all(
      () => checkFoldable(name, inputType, e),
      () => if (constant(e) == null) unexpectedNull(name) else further
    )

  def checkFoldable(name: String, inputType: String, e: Expression): TypeCheckResult =
    if (e.foldable) TypeCheckSuccess
    else {
      DataTypeMismatch(
        "NON_FOLDABLE_INPUT",
        Map("inputName" -> toSQLId(name), "inputType" -> quoted(inputType), "inputExpr" -> toSQLExpr(e))
      )
    }

  /** Checks a constant share from 0 to 1, or a constant array of shares. */
  def checkConstantPhi(position: Int, e: Expression, name: String = "phi"): TypeCheckResult =
    checkConstant(name, "DOUBLE or ARRAY<DOUBLE>", e)(
      all(
        () => checkPhiType(position, e),
        () => if (phisOf(e).contains(null)) unexpectedNull(name) else checkPhiValues(name, e)
      )
    )

  /** Checks a constant whole number within a range. */
  def checkWhole(name: String, least: Int, greatest: Int, position: Int, e: Expression): TypeCheckResult =
    checkConstant(name, "INT", e) {
      e.dataType match {
        case ByteType | ShortType | IntegerType | LongType =>
          val value = constant(e).asInstanceOf[Number].longValue
          if (value >= least && value <= greatest) TypeCheckSuccess
          else outOfRange(name, s"[$least, $greatest]", value.toString)
        case _ => unexpectedType(position, "INTEGRAL", e)
      }
    }

  /** Checks a frequency, which is a whole number. A negative constant is rejected now if the user wrote it. If the optimizer finds that
    * a column is a negative constant, the plan is analysed already, so the first row is rejected when the query runs.
    */
  def checkFrequency(
      function: String,
      position: Int,
      e: Expression,
      isAsWritten: Boolean,
      takesDecimals: Boolean
  ): TypeCheckResult = e.dataType match {
    case ByteType | ShortType | IntegerType | LongType =>
      val value = if (isAsWritten && e.foldable) constant(e) else null
      if (value == null || value.asInstanceOf[Number].longValue >= 0) TypeCheckSuccess
      else outOfRange("frequency", s"[0, ${Long.MaxValue}]", value.toString)
    case NullType => TypeCheckSuccess
    case _: NumericType => refuseFraction(function, e, takesDecimals)
    case _ => unexpectedType(position, "INTEGRAL", e)
  }

  private def refuseFraction(function: String, e: Expression, takesDecimals: Boolean): Nothing = {
    val sql = unqualified(e)
    throw Conditions.analysisError(
      "CHRONOSKETCH_FRACTIONAL_FREQUENCY",
      e.origin,
      "function" -> function,
      "takes" -> (if (takesDecimals) "whole numbers, or decimals of up to 18 digits" else "whole numbers"),
      "sql" -> sql,
      "type" -> toSQLType(e.dataType),
      "fix" -> (if (takesDecimals) s"CAST($sql AS DECIMAL(18,6))" else s"CAST(ROUND($sql * 1000) AS BIGINT)")
    )
  }

  /** Checks the phi of a question to a stored sketch. It may be a column. A constant is checked now. NULL is allowed, also inside an
    * array, and gives NULL.
    */
  def checkPhi(position: Int, e: Expression): TypeCheckResult =
    all(
      () => checkPhiType(position, e),
      () => if (e.foldable) checkPhiValues("phi", e) else TypeCheckSuccess
    )

  private def checkPhiType(position: Int, e: Expression): TypeCheckResult = e.dataType match {
    case _: NumericType | NullType => TypeCheckSuccess
    case ArrayType(_: NumericType | NullType, _) => TypeCheckSuccess
    case _ => unexpectedType(position, "NUMERIC or ARRAY<NUMERIC>", e)
  }

  private def phisOf(e: Expression): Seq[Any] = constant(e) match {
    case array: ArrayData =>
      val element = e.dataType.asInstanceOf[ArrayType].elementType
      Seq.tabulate(array.numElements())(i => if (array.isNullAt(i)) null else array.get(i, element))
    case value => Seq(value)
  }

  private def checkPhiValues(name: String, e: Expression): TypeCheckResult =
    phisOf(e).find(v => v != null && !isPhi(v)) match {
      case Some(v) => outOfRange(name, "[0.0, 1.0]", v.toString + percentileHint(v))
      case None => TypeCheckSuccess
    }

  /** A hint to append to a percentage that was given as φ. */
  private def percentileHint(value: Any): String = {
    val percent = number(value)
    if (!(percent > 1 && percent <= 100)) ""
    else {
      val share = new java.math.BigDecimal(value.toString).movePointLeft(2)
      s"; for $value % write ${share.stripTrailingZeros.toPlainString}"
    }
  }

  /** Whether a number is from 0 to 1. All its digits count: as a double, 1.00000000000000000001 would be 1. */
  private def isPhi(value: Any): Boolean =
    try { phi(value); true }
    catch { case _: Refusal => false }

  /** Converts a number to a φ exactly: all digits of a decimal are kept. */
  def phi(value: Any): Phi = value match {
    case d: Decimal => Phi(d.toJavaBigDecimal)
    case d: Double => Phi(d)
    case f: Float => Phi(f)
    case other => Phi(new java.math.BigDecimal(other.toString))
  }

  def number(value: Any): Double = value match {
    case d: Decimal => d.toDouble
    case other => other.asInstanceOf[Number].doubleValue
  }

  /** The value of a parameter that has passed [[checkParameter]]. */
  def parameter(e: Expression): Double = Parameter.unsigned(number(constant(e)))

  /** A type error. `position` starts at 1; Spark's ordinals start at 0. */
  def unexpectedType(position: Int, required: String, e: Expression): TypeCheckResult =
    DataTypeMismatch(
      "UNEXPECTED_INPUT_TYPE",
      Map(
        "paramIndex" -> ordinalNumber(position - 1),
        "requiredType" -> quoted(required),
        "inputSql" -> toSQLExpr(e),
        "inputType" -> toSQLType(e.dataType)
      )
    )

  def unexpectedNull(name: String): TypeCheckResult =
    DataTypeMismatch("UNEXPECTED_NULL", Map("exprName" -> toSQLId(name)))

  private def outOfRange(name: String, range: String, value: String): TypeCheckResult =
    DataTypeMismatch(
      "VALUE_OUT_OF_RANGE",
      Map("exprName" -> toSQLId(name), "valueRange" -> range, "currentValue" -> value)
    )

  private def quoted(text: String): String = "\"" + text.toUpperCase(Locale.ROOT) + "\""
}
