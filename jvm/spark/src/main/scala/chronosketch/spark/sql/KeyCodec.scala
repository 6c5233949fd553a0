package chronosketch.spark.sql

import org.apache.spark.sql.types._

import chronosketch.domain.{Domain, DoubleKeys}

/** The codec between SQL values, in Spark's internal form, and the ordered keys of a domain. */
abstract class KeyCodec(val domain: Domain, val dataType: DataType) extends Serializable {
  def key(value: Any): Long
  def value(key: Long): Any

  /** Java code for the key of a value that is not null. */
  def keyCode(value: String): String
}

object KeyCodec {

  /** The codec of a type; None if its values have no key. */
  def of(dataType: DataType): Option[KeyCodec] = dataType match {
    case ByteType => Some(new Bytes)
    case ShortType => Some(new Shorts)
    case IntegerType => Some(new Ints(Domain.Int, dataType))
    case LongType => Some(new Longs(Domain.BigInt, dataType))
    case FloatType => Some(new Floats)
    case DoubleType => Some(new Doubles(dataType))
    case NullType => Some(new Doubles(DoubleType)) // a NULL literal never has a value, so any codec will do
    case d: DecimalType if d.precision <= Domain.MaxDecimalPrecision && d.scale >= 0 => Some(new Decimals(d))
    case DateType => Some(new Ints(Domain.Date, dataType))
    case TimestampType => Some(new Longs(Domain.Timestamp, dataType))
    case TimestampNTZType => Some(new Longs(Domain.TimestampNtz, dataType))
    case i: YearMonthIntervalType =>
      Some(new Ints(Domain.yearMonthInterval(i.startField.toInt, i.endField.toInt), dataType))
    case i: DayTimeIntervalType =>
      Some(new Longs(Domain.dayTimeInterval(i.startField.toInt, i.endField.toInt), dataType))
    case other => SparkVersion.timePrecision(other).map(p => new Longs(Domain.time(p), other))
  }

  /** The unscaled value at the scale of the type. Inside Spark, a decimal may have another scale than its type. */
  def decimalKey(value: Decimal, scale: Int): Long =
    if (value.scale == scale) value.toUnscaledLong
    else value.toJavaBigDecimal.setScale(scale).unscaledValue.longValueExact

  /** Java code for the [[decimalKey]] of a value. */
  def decimalKeyCode(value: String, scale: Int): String =
    s"${KeyCodec.getClass.getName.stripSuffix("$")}.decimalKey($value, $scale)"

  private def doubleKeyCode(value: String): String =
    s"${DoubleKeys.getClass.getName.stripSuffix("$")}.key($value)"

  private final class Bytes extends KeyCodec(Domain.TinyInt, ByteType) {
    def key(value: Any): Long = value.asInstanceOf[Byte].toLong
    def value(key: Long): Any = key.toByte
    def keyCode(value: String): String = s"((long) $value)"
  }

  private final class Shorts extends KeyCodec(Domain.SmallInt, ShortType) {
    def key(value: Any): Long = value.asInstanceOf[Short].toLong
    def value(key: Long): Any = key.toShort
    def keyCode(value: String): String = s"((long) $value)"
  }

  private final class Ints(domain: Domain, dataType: DataType) extends KeyCodec(domain, dataType) {
    def key(value: Any): Long = value.asInstanceOf[Int].toLong
    def value(key: Long): Any = key.toInt
    def keyCode(value: String): String = s"((long) $value)"
  }

  private final class Longs(domain: Domain, dataType: DataType) extends KeyCodec(domain, dataType) {
    def key(value: Any): Long = value.asInstanceOf[Long]
    def value(key: Long): Any = key
    def keyCode(value: String): String = value
  }

  private final class Floats extends KeyCodec(Domain.Float, FloatType) {
    def key(value: Any): Long = DoubleKeys.key(value.asInstanceOf[Float].toDouble)
    def value(key: Long): Any = DoubleKeys.value(key).toFloat
    def keyCode(value: String): String = KeyCodec.doubleKeyCode(value)
  }

  private final class Doubles(dataType: DataType) extends KeyCodec(Domain.Double, dataType) {
    def key(value: Any): Long = DoubleKeys.key(value.asInstanceOf[Double])
    def value(key: Long): Any = DoubleKeys.value(key)
    def keyCode(value: String): String = KeyCodec.doubleKeyCode(value)
  }

  private final class Decimals(decimal: DecimalType)
      extends KeyCodec(Domain.decimal(decimal.precision, decimal.scale), decimal) {
    def key(value: Any): Long = KeyCodec.decimalKey(value.asInstanceOf[Decimal], decimal.scale)
    def value(key: Long): Any = Decimal(key, decimal.precision, decimal.scale)
    def keyCode(value: String): String = KeyCodec.decimalKeyCode(value, decimal.scale)
  }
}
