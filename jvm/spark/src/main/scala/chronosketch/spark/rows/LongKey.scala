package chronosketch.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.CodeGenerator
import org.apache.spark.sql.types.{DataType, Decimal, DecimalType}

import chronosketch.spark.sql.KeyCodec

/** Converts grouping keys that fit 64 bits to longs and back: types that Spark stores as primitives, and decimals of up to 18 digits.
  * Floating-point keys must already be normalised to one zero and one NaN.
  */
final class LongKey private (dataType: DataType, javaType: String) {

  /** Java code for the key of a value that is not null. */
  def keyCode(value: String): String = javaType match {
    case CodeGenerator.JAVA_BOOLEAN => s"($value ? 1L : 0L)"
    case CodeGenerator.JAVA_FLOAT => s"((long) Float.floatToIntBits($value))"
    case CodeGenerator.JAVA_DOUBLE => s"Double.doubleToLongBits($value)"
    case LongKey.DecimalClass => KeyCodec.decimalKeyCode(value, dataType.asInstanceOf[DecimalType].scale)
    case _ => s"((long) $value)"
  }

  /** Java code for the value of a key. */
  def valueCode(key: String): String = javaType match {
    case CodeGenerator.JAVA_BOOLEAN => s"($key != 0L)"
    case CodeGenerator.JAVA_FLOAT => s"Float.intBitsToFloat((int) $key)"
    case CodeGenerator.JAVA_DOUBLE => s"Double.longBitsToDouble($key)"
    case LongKey.DecimalClass =>
      val decimal = dataType.asInstanceOf[DecimalType]
      s"${classOf[Decimal].getName}.apply($key, ${decimal.precision}, ${decimal.scale})"
    case _ => s"(($javaType) $key)"
  }

  /** The key in a column of a row, where it must not be null. */
  def key(row: InternalRow, column: Int): Long = javaType match {
    case CodeGenerator.JAVA_BOOLEAN => if (row.getBoolean(column)) 1L else 0L
    case CodeGenerator.JAVA_BYTE => row.getByte(column).toLong
    case CodeGenerator.JAVA_SHORT => row.getShort(column).toLong
    case CodeGenerator.JAVA_INT => row.getInt(column).toLong
    case CodeGenerator.JAVA_FLOAT => java.lang.Float.floatToIntBits(row.getFloat(column)).toLong
    case CodeGenerator.JAVA_DOUBLE => java.lang.Double.doubleToLongBits(row.getDouble(column))
    case LongKey.DecimalClass =>
      val decimal = dataType.asInstanceOf[DecimalType]
      KeyCodec.decimalKey(row.getDecimal(column, decimal.precision, decimal.scale), decimal.scale)
    case _ => row.getLong(column)
  }

  def value(key: Long): Any = javaType match {
    case CodeGenerator.JAVA_BOOLEAN => key != 0L
    case CodeGenerator.JAVA_BYTE => key.toByte
    case CodeGenerator.JAVA_SHORT => key.toShort
    case CodeGenerator.JAVA_INT => key.toInt
    case CodeGenerator.JAVA_FLOAT => java.lang.Float.intBitsToFloat(key.toInt)
    case CodeGenerator.JAVA_DOUBLE => java.lang.Double.longBitsToDouble(key)
    case LongKey.DecimalClass =>
      val decimal = dataType.asInstanceOf[DecimalType]
      Decimal(key, decimal.precision, decimal.scale)
    case _ => key
  }
}

object LongKey {
  private val DecimalClass = "Decimal"

  /** The converter of a type; None if its values do not fit 64 bits. */
  def of(dataType: DataType): Option[LongKey] = {
    val javaType = CodeGenerator.javaType(dataType)
    val fits = dataType match {
      case d: DecimalType => d.precision <= Decimal.MAX_LONG_DIGITS
      case _ => CodeGenerator.isPrimitiveType(javaType)
    }
    Option.when(fits)(new LongKey(dataType, javaType))
  }
}
