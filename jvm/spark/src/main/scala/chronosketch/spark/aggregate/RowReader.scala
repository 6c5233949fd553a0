package chronosketch.spark.aggregate

import org.apache.spark.sql.catalyst.InternalRow

import chronosketch.spark.sql.SqlValues

/** What does a row put into a summary of values? Wherever rows do not go through generated code, they are read here.
  *
  * Cost  a boxed value and a virtual call for each expression; types are resolved once
  *
  * A row with a NULL value, frequency, time, id or other side of a pair puts in nothing; a condition that is NULL is not passed.
  *
  * @param column bound to the rows
  * @param values of the type of its input
  */
final class RowReader(column: SketchColumn, values: SqlValues) {
  private val frequency = column.copies.orNull
  private val beside = column.beside.orNull
  private val others = column.beside.flatMap(t => SqlValues.of(t.dataType)).orNull
  private val conditions = column.conditions.toArray
  private val told = column.id.orNull
  private val ids = column.id.flatMap(i => SqlValues.of(i.dataType)).orNull

  private val isPair: Boolean = beside != null
  val isWeighted: Boolean = frequency != null

  private var readKey, readCopies, otherKey, idKey = 0L
  private var readPassed = 0

  /** Reads a row; false where it puts in nothing. */
  def read(row: InternalRow): Boolean = {
    // the frequency of a NULL is not looked at, nor what comes beside it
    val value = column.input.eval(row)
    value != null && {
      readKey = values.key(value)
      (!isWeighted || readFrequency(row)) && (!isPair || readOther(row))
    }
  }

  def key: Long = readKey
  def copies: Long = readCopies

  /** Of what the row brings beside its value: a time, or the other side of a pair. */
  def other: Long = otherKey

  /** Which row it is of; where [[isTold]]. */
  def id: Long = idKey
  def isTold: Boolean = told != null

  /** A bit for each condition. */
  def passed: Int = readPassed

  private def readFrequency(row: InternalRow): Boolean = {
    val copies = frequency.eval(row)
    copies != null && {
      readCopies = copies.asInstanceOf[Number].longValue
      true
    }
  }

  private def readOther(row: InternalRow): Boolean = {
    val at = beside.eval(row)
    at != null && {
      otherKey = others.key(at)
      readPassed = 0
      var i = 0
      while (i < conditions.length) {
        if (java.lang.Boolean.TRUE == conditions(i).eval(row)) readPassed |= 1 << i
        i += 1
      }
      !isTold || readId(row)
    }
  }

  private def readId(row: InternalRow): Boolean = {
    val id = told.eval(row)
    id != null && {
      idKey = ids.key(id)
      true
    }
  }
}
