package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow

import chronosketch.spark.sql.KeyCodec

/** Reads what a row adds to a summary of values. Used wherever rows do not go through generated code.
  *
  * Cost  a boxed value and a virtual call for each expression; types are resolved once
  *
  * A row with a NULL value, frequency, time, id or second side of a pair adds nothing. A condition that is NULL does not hold.
  *
  * @param column the sketch column, bound to the rows
  * @param kind   the kind of its input
  */
final class RowReader(column: SketchColumn, val kind: RowInput) {
  private val values = kind.codec
  private val frequency = column.copies.orNull
  private val secondOrNull = column.second.orNull
  private val secondKeys = column.second.flatMap(t => KeyCodec.of(t.dataType)).orNull
  private val conditions = column.conditions.toArray
  private val rowId = column.id.orNull
  private val rowIdKeys = column.id.flatMap(i => KeyCodec.of(i.dataType)).orNull

  /** Whether rows have a frequency. */
  val isWeighted: Boolean = frequency != null

  /** Whether rows have an id. */
  val hasId: Boolean = rowId != null

  private var readKey, readCopies, secondKey, rowIdKey = 0L
  private var readConditions = 0

  /** Reads a row. Returns false if the row adds nothing. */
  def read(row: InternalRow): Boolean = {
    // if the value is NULL, its frequency, time and pair are not evaluated
    val value = column.input.eval(row)
    value != null && {
      readKey = values.key(value)
      (!isWeighted || readFrequency(row)) && (secondOrNull == null || readSecond(row))
    }
  }

  def key: Long = readKey
  def copies: Long = readCopies

  /** The key of the row's time or of the second side of its pair. */
  def second: Long = secondKey

  /** The key of the row's id, if [[hasId]]. */
  def id: Long = rowIdKey

  /** One bit for each condition, set if the condition holds. */
  def passed: Int = readConditions

  private def readFrequency(row: InternalRow): Boolean = {
    val copies = frequency.eval(row)
    copies != null && {
      readCopies = copies.asInstanceOf[Number].longValue
      true
    }
  }

  private def readSecond(row: InternalRow): Boolean = {
    val value = secondOrNull.eval(row)
    value != null && {
      secondKey = secondKeys.key(value)
      readConditions = 0
      var i = 0
      while (i < conditions.length) {
        if (java.lang.Boolean.TRUE == conditions(i).eval(row)) readConditions |= 1 << i
        i += 1
      }
      !hasId || readRowId(row)
    }
  }

  private def readRowId(row: InternalRow): Boolean = {
    val id = rowId.eval(row)
    id != null && {
      rowIdKey = rowIdKeys.key(id)
      true
    }
  }
}
