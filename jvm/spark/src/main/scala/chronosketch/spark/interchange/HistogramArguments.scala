package chronosketch.spark.interchange

import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult.TypeCheckSuccess
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types._

import chronosketch.Refusal
import chronosketch.interchange.{Limits, Unreadable}
import chronosketch.spark.sql.{Arguments, KeyCodec}

/** Checks and reads the arguments of functions that import a histogram: bounds, counts, and the least and greatest value. */
private[interchange] object HistogramArguments {

  /** The codec of a histogram's values. Numbers are DOUBLE, whatever the type of the bounds, because values lie between bounds. */
  def valuesOf(dataType: DataType): Option[KeyCodec] = dataType match {
    case _: NumericType | NullType => KeyCodec.of(DoubleType)
    case other => KeyCodec.of(other)
  }

  def checkBounds(function: String, e: Expression): TypeCheckResult = e.dataType match {
    case ArrayType(element, _) =>
      if (valuesOf(element).isEmpty) Arguments.refuseElements(function, "bounds", e, element)
      TypeCheckSuccess
    case NullType => TypeCheckSuccess
    case _ => Arguments.unexpectedType(1, "ARRAY", e)
  }

  def checkCounts(position: Int, e: Expression): TypeCheckResult = e.dataType match {
    case ArrayType(_: NumericType | NullType, _) | NullType => TypeCheckSuccess
    case _ => Arguments.unexpectedType(position, "ARRAY<NUMERIC>", e)
  }

  def checkNumber(position: Int, e: Expression): TypeCheckResult = e.dataType match {
    case _: NumericType | NullType => TypeCheckSuccess
    case _ => Arguments.unexpectedType(position, "NUMERIC", e)
  }

  def checkBoolean(position: Int, e: Expression): TypeCheckResult = e.dataType match {
    case BooleanType | NullType => TypeCheckSuccess
    case _ => Arguments.unexpectedType(position, "BOOLEAN", e)
  }

  /** Checks a minimum or maximum: any number if the values are numbers, otherwise a value of exactly their type. */
  def checkLimit(position: Int, values: KeyCodec, e: Expression): TypeCheckResult =
    if (values.dataType == DoubleType) checkNumber(position, e)
    else if (e.dataType == values.dataType || e.dataType == NullType) TypeCheckSuccess
    else Arguments.unexpectedType(position, values.dataType.sql, e)

  /** The element type of an array, or NullType for a bare NULL. */
  def elementOf(e: Expression): DataType = e.dataType match {
    case ArrayType(element, _) => element
    case other => other
  }

  def limits(values: KeyCodec, minimum: Any, maximum: Any): Limits =
    Limits(
      values.domain,
      Option(minimum).map(key(values, _)),
      Option(maximum).map(key(values, _)),
      show(values, _)
    )

  def keys(name: String, array: ArrayData, element: DataType, values: KeyCodec): Array[Long] =
    Array.tabulate(array.numElements()) { i =>
      if (array.isNullAt(i)) throw nullElement(name, i, "Leave it out, and its count with it")
      key(values, array.get(i, element))
    }

  /** Reads whole numbers of any numeric type: unsigned numbers of a protocol come as DECIMAL, scraped ones as DOUBLE. */
  def counts(name: String, array: ArrayData, element: DataType): Array[Long] =
    Array.tabulate(array.numElements()) { i =>
      if (array.isNullAt(i)) throw nullElement(name, i, "A bucket without values counts 0")
      whole(s"$name ${i + 1}", array.get(i, element))
    }

  def whole(name: String, value: Any): Long = value match {
    case d: Decimal =>
      try d.toJavaBigDecimal.longValueExact
      catch { case _: ArithmeticException => throw invalidCount(name, d.toString) }
    case _: Double | _: Float =>
      val number = value.asInstanceOf[Number].doubleValue
      if (number != math.rint(number) || math.abs(number) >= Long.MaxValue.toDouble)
        throw invalidCount(name, number.toString)
      number.toLong
    case other => other.asInstanceOf[Number].longValue
  }

  private def key(values: KeyCodec, value: Any): Long =
    values.key(if (values.dataType == DoubleType) Arguments.number(value) else value)

  private def show(values: KeyCodec, key: Long): String =
    Literal(values.value(key), values.dataType).toString

  private def invalidCount(name: String, text: String): Refusal =
    Unreadable.histogram(
      s"$name is $text, but must be a whole number of at most 63 bits. If it was scaled, round it first"
    )

  private def nullElement(name: String, index: Int, advice: String): Refusal =
    Unreadable.histogram(s"$name ${index + 1} is NULL. $advice")
}
