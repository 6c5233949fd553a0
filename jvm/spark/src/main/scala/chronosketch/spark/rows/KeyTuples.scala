package chronosketch.spark.rows

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.DataType

import chronosketch.memory.Meter

/** Numbers groups whose keys each fit 64 bits or are texts.
  *
  * Cost  a look-up in [[LongKeys]] or [[TextKeys]] for each key, and one more for each key after the first
  *
  * Each column numbers its keys, including NULL. The numbers of the first two columns form a pair, which fits 64 bits and gets a number
  * itself. That number and the number of the next column form the next pair, and so on from left to right. The number of the last pair
  * is the group; with a single column, the number of its key is.
  */
final class KeyTuples(types: Seq[DataType], meter: Meter) extends GroupKeys {
  // null for texts
  private val kinds = types.map(LongKey.of(_).orNull).toArray
  private val columns: Array[KeyNumbers] =
    kinds.map(kind => if (kind == null) new TextKeys(meter) else new LongKeys(meter))
  // for each column after the first: the pairs of the number of all columns before it and its own; null at 0
  private val pairs = kinds.indices.map(i => if (i == 0) null else new LongKeys(meter)).toArray

  /** The table that numbers a column's keys. */
  def ofColumn(column: Int): KeyNumbers = columns(column)

  /** The table that numbers the pairs ending at a column, which must not be the first. */
  def ofPairs(column: Int): LongKeys = pairs(column)

  /** The keys or pairs whose numbers are the groups. */
  val groups: KeyNumbers = if (kinds.length == 1) columns(0) else pairs(kinds.length - 1)

  def size: Int = groups.size

  def find(row: InternalRow): Int = {
    var number = findKey(row, 0)
    var i = 1
    while (i < kinds.length) {
      number = pairs(i).find(KeyTuples.pair(number, findKey(row, i)))
      i += 1
    }
    number
  }

  private def findKey(row: InternalRow, column: Int): Int = columns(column) match {
    case keys if row.isNullAt(column) => keys.findNull()
    case texts: TextKeys => texts.number(row.getUTF8String(column))
    case longs => longs.find(kinds(column).key(row, column))
  }

  /** The number of a group's key in a column. */
  def number(column: Int, group: Int): Int = {
    var number = group
    var i = kinds.length - 1
    while (i > column) {
      number = KeyTuples.left(pairs(i).key(number))
      i -= 1
    }
    if (column == 0) number else KeyTuples.right(pairs(column).key(number))
  }

  def row(group: Int): InternalRow = {
    val values = new Array[Any](kinds.length)
    var i = 0
    while (i < values.length) {
      val key = number(i, group)
      values(i) = columns(i) match {
        case keys if keys.isNull(key) => null
        case texts: TextKeys => texts.text(key)
        case longs: LongKeys => kinds(i).value(longs.key(key))
      }
      i += 1
    }
    new GenericInternalRow(values)
  }

  def clear(): Unit = {
    columns.foreach(_.clear())
    pairs.foreach(numbers => if (numbers != null) numbers.clear())
  }
}

object KeyTuples {

  /** With more keys than this, one look-up of all their bytes is faster than numbering them one by one. */
  private val MostKeys = 4

  /** Whether keys of these types are numbered one by one. */
  def fit(types: Seq[DataType]): Boolean =
    types.nonEmpty && types.length <= MostKeys &&
      types.forall(t => TextKeys.fit(t) || LongKey.of(t).nonEmpty)

  /** Packs two numbers into one key. Pairs of numbers below 256 are close to each other, which suits [[NearKeys]]. */
  def pair(left: Int, right: Int): Long =
    ((right >>> 8).toLong << 40) | (left.toLong << 8) | (right & 0xff)

  def left(pair: Long): Int = (pair >>> 8).toInt
  def right(pair: Long): Int = ((pair >>> 40).toInt << 8) | (pair.toInt & 0xff)
}
