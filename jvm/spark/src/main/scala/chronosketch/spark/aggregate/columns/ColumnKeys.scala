package chronosketch.spark.aggregate.columns

import org.apache.spark.sql.execution.vectorized.OnHeapColumnVector
import org.apache.spark.sql.types._
import org.apache.spark.sql.vectorized.ColumnVector

import chronosketch.domain.DoubleKeys
import chronosketch.spark.rows.{KeyNumbers, LongKey, TextKeys}
import chronosketch.spark.sql.KeyCodec

/** Reads the keys of many rows at once from a column vector of Spark's file readers.
  *
  * Cost  one pass over the column, which some types copy; no row objects and, besides [[ColumnTexts]], no virtual call per value
  */
private[columns] abstract class ColumnKeys extends Serializable {

  /** Writes the keys of n rows, starting at row `from`, into an array, starting at `at`. None of the rows may be NULL. */
  def all(vector: ColumnVector, from: Int, n: Int, into: Array[Long], at: Int): Unit

  /** The key of a row that is not NULL. */
  def one(vector: ColumnVector, row: Int): Long

  /** The reader that a task uses for a grouping column whose keys are numbered by `numbers`. */
  def numberedBy(numbers: KeyNumbers): ColumnKeys = this
}

private[columns] object ColumnKeys {

  /** The reader of a type; None if values of the type have no key. */
  def of(dataType: DataType): Option[ColumnKeys] = dataType match {
    case DoubleType => Some(Doubles)
    case FloatType => Some(Floats)
    case ByteType => Some(Bytes)
    case ShortType => Some(Shorts)
    case IntegerType | DateType | _: YearMonthIntervalType => Some(Ints)
    case decimal: DecimalType => KeyCodec.of(decimal).map(_ => new Decimals(decimal))
    case NullType => None
    case other => KeyCodec.of(other).map(_ => Longs)
  }

  /** The reader of a grouping column; None if its values neither fit 64 bits nor are texts. */
  def ofGroups(dataType: DataType): Option[ColumnKeys] = dataType match {
    case text if TextKeys.fit(text) => Some(Texts)
    // an expression above the scan normalises their zeros and NaNs
    case FloatType | DoubleType => None
    case BooleanType => Some(Booleans)
    case other => LongKey.of(other).flatMap(_ => of(other))
  }

  /** The reader of texts in a plan. A task uses [[ColumnTexts]] instead, because it has the numbers. */
  private object Texts extends ColumnKeys {
    def all(vector: ColumnVector, from: Int, n: Int, into: Array[Long], at: Int): Unit = refuse()
    def one(vector: ColumnVector, row: Int): Long = refuse()
    override def numberedBy(numbers: KeyNumbers): ColumnKeys = new ColumnTexts(numbers.asInstanceOf[TextKeys])
    private def refuse(): Nothing =
      throw new IllegalStateException("texts are read with the numbers of a task")
  }

  private object Doubles extends ColumnKeys {
    def all(vector: ColumnVector, from: Int, n: Int, into: Array[Long], at: Int): Unit = vector match {
      // the JIT inlines this call, and the column is not copied
      case plain: OnHeapColumnVector if !plain.hasDictionary =>
        var i = 0
        while (i < n) { into(at + i) = DoubleKeys.key(plain.getDouble(from + i)); i += 1 }
      case other =>
        val values = other.getDoubles(from, n)
        var i = 0
        while (i < n) { into(at + i) = DoubleKeys.key(values(i)); i += 1 }
    }
    def one(vector: ColumnVector, row: Int): Long = DoubleKeys.key(vector.getDouble(row))
  }

  private object Floats extends ColumnKeys {
    def all(vector: ColumnVector, from: Int, n: Int, into: Array[Long], at: Int): Unit = {
      val values = vector.getFloats(from, n)
      var i = 0
      while (i < n) { into(at + i) = DoubleKeys.key(values(i).toDouble); i += 1 }
    }
    def one(vector: ColumnVector, row: Int): Long = DoubleKeys.key(vector.getFloat(row).toDouble)
  }

  private object Booleans extends ColumnKeys {
    def all(vector: ColumnVector, from: Int, n: Int, into: Array[Long], at: Int): Unit = {
      val values = vector.getBooleans(from, n)
      var i = 0
      while (i < n) { into(at + i) = if (values(i)) 1L else 0L; i += 1 }
    }
    def one(vector: ColumnVector, row: Int): Long = if (vector.getBoolean(row)) 1L else 0L
  }

  private object Bytes extends ColumnKeys {
    def all(vector: ColumnVector, from: Int, n: Int, into: Array[Long], at: Int): Unit = {
      val values = vector.getBytes(from, n)
      var i = 0
      while (i < n) { into(at + i) = values(i).toLong; i += 1 }
    }
    def one(vector: ColumnVector, row: Int): Long = vector.getByte(row).toLong
  }

  private object Shorts extends ColumnKeys {
    def all(vector: ColumnVector, from: Int, n: Int, into: Array[Long], at: Int): Unit = {
      val values = vector.getShorts(from, n)
      var i = 0
      while (i < n) { into(at + i) = values(i).toLong; i += 1 }
    }
    def one(vector: ColumnVector, row: Int): Long = vector.getShort(row).toLong
  }

  private object Ints extends ColumnKeys {
    def all(vector: ColumnVector, from: Int, n: Int, into: Array[Long], at: Int): Unit = vector match {
      case plain: OnHeapColumnVector if !plain.hasDictionary =>
        var i = 0
        while (i < n) { into(at + i) = plain.getInt(from + i).toLong; i += 1 }
      case other =>
        val values = other.getInts(from, n)
        var i = 0
        while (i < n) { into(at + i) = values(i).toLong; i += 1 }
    }
    def one(vector: ColumnVector, row: Int): Long = vector.getInt(row).toLong
  }

  private object Longs extends ColumnKeys {
    def all(vector: ColumnVector, from: Int, n: Int, into: Array[Long], at: Int): Unit =
      System.arraycopy(vector.getLongs(from, n), 0, into, at, n)
    def one(vector: ColumnVector, row: Int): Long = vector.getLong(row)
  }

  private final class Decimals(decimal: DecimalType) extends ColumnKeys {
    def all(vector: ColumnVector, from: Int, n: Int, into: Array[Long], at: Int): Unit = {
      var i = 0
      while (i < n) { into(at + i) = one(vector, from + i); i += 1 }
    }
    def one(vector: ColumnVector, row: Int): Long =
      KeyCodec.decimalKey(vector.getDecimal(row, decimal.precision, decimal.scale), decimal.scale)
  }
}
