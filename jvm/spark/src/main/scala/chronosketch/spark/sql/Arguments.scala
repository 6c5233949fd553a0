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

/** How an argument of a function is checked while the query is analysed: one check a file's worth of conditions, each naming
  * the argument, its value and what it may be.
  */
object Arguments {

  /** The first failure, or success. */
  def all(checks: (() => TypeCheckResult)*): TypeCheckResult =
    checks.iterator.map(_.apply()).find(_.isFailure).getOrElse(TypeCheckSuccess)

  /** The value of a constant expression. */
  def constant(e: Expression): Any = e.transform { case r: RuntimeReplaceable => r.replacement }.eval()

  /** An argument as a message names it: a column, a field of one or a constant as the user wrote it; anything else by the name of
    * the argument, for the optimizer may have made of it what no query can say.
    */
  def written(name: String, e: Expression): String = if (isAsWritten(e)) unqualified(e) else name

  private def isAsWritten(e: Expression): Boolean = e match {
    case column: AttributeReference => !OfSpark.matches(column.name)
    case field: GetStructField => isAsWritten(field.child)
    case _ => e.isInstanceOf[Literal]
  }

  /** Names that Spark gives to what it computes before a window or an aggregation. */
  private val OfSpark = "_(w\\d+|gen_alias_.*|extract_.*|groupingexpression|common_expr_.*)".r

  /** Columns by their names alone, as a query spells them: of a subquery without an alias the qualifier is Spark's own. */
  def unqualified(e: Expression): String =
    e.transform { case a: AttributeReference => a.withQualifier(Nil) }.sql

  /** Where values come in: a type that has keys, or the error that names the cast that helps. */
  def checkValue(
      function: String,
      argument: String,
      e: Expression,
      types: ValueTypes = ValueTypes.All
  ): TypeCheckResult = {
    if (SqlValues.of(e.dataType).isEmpty) refuseType(function, argument, e, types)
    TypeCheckSuccess
  }

  def refuseType(function: String, argument: String, e: Expression, types: ValueTypes): Nothing =
    refuseType(function, argument, e, types, types.hint(e.dataType, unqualified(e)))

  /** The same for an array, whose elements have a type that has no keys. */
  def refuseElements(function: String, argument: String, e: Expression, element: DataType): Nothing = {
    val types = ValueTypes.All
    refuseType(function, argument, e, types, types.hintForElements(element, unqualified(e)))
  }

  private def refuseType(
      function: String,
      argument: String,
      e: Expression,
      types: ValueTypes,
      hint: String
  ): Nothing =
    throw Conditions.analysisError(
      "CHRONOSKETCH_UNSUPPORTED_TYPE",
      e.origin,
      "function" -> function,
      "argument" -> argument,
      "types" -> types.text,
      "sql" -> toSQLExpr(e),
      "type" -> toSQLType(e.dataType),
      "hint" -> hint
    )

  def checkSketch(position: Int, e: Expression): TypeCheckResult = e.dataType match {
    case BinaryType | NullType => TypeCheckSuccess
    case ObjectType(itself) if itself == classOf[Summary] => TypeCheckSuccess
    case _ => unexpectedType(position, "BINARY", e)
  }

  /** A constant number within a parameter's range. */
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

  /** Constant and not NULL, then whatever `further` asks of it. */
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

  /** A constant share of the elements, or an array of them. */
  def checkConstantPhi(position: Int, e: Expression, name: String = "phi"): TypeCheckResult =
    checkConstant(name, "DOUBLE or ARRAY<DOUBLE>", e)(
      all(
        () => checkPhiType(position, e),
        () => if (phisOf(e).contains(null)) unexpectedNull(name) else checkPhiValues(name, e)
      )
    )

  /** A constant whole number within a range. */
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

  /** A whole number. A constant below 0 is refused now, if the user wrote it: where the optimizer finds that a column is one, the
    * plan has been analysed, and the first row that comes is refused.
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

  /** A reader's phi may be a column; where it is constant its value is checked now, and NULL, in an array too, is an answer of
    * NULL.
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
      case Some(v) => outOfRange(name, "[0.0, 1.0]", v.toString)
      case None => TypeCheckSuccess
    }

  /** By the digits, too: as a double, 1.00000000000000000001 is 1. */
  private def isPhi(value: Any): Boolean =
    try { phi(value); true }
    catch { case _: Refusal => false }

  /** A number as φ, exactly as it is written: a decimal by its digits. */
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

  /** The value of a parameter that [[checkParameter]] has passed. */
  def parameter(e: Expression): Double = Parameter.unsigned(number(constant(e)))

  /** `position` starts at 1, as the user counts; Spark's ordinals start at 0. */
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
