package chronosketch.spark.aggregate.columns

import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** Reads values, and their times where these count, from a batch of columns.
  *
  * Cost  a pass over each column; where one has NULLs, a look at each row
  */
private[columns] final class ColumnValues(place: ColumnPlace) {
  private val (value, values) = place.value
  private val (time, times) = place.time.getOrElse((-1, null))

  def isTimed: Boolean = times != null

  /** The keys of n rows from `from` on, and their times, into arrays from `at` on; how many they are. A row without a value or
    * without a time is left out. Where some are, `rows` has which the others are, unless it is null: from 0 for the first.
    */
  def read(
      batch: ColumnarBatch,
      from: Int,
      n: Int,
      intoKeys: Array[Long],
      intoTimes: Array[Long],
      at: Int,
      rows: Array[Int]
  ): Int = {
    val vector = batch.column(value)
    val timeVector = if (isTimed) batch.column(time) else null
    if (vector.hasNull || (isTimed && timeVector.hasNull))
      readSome(vector, timeVector, from, n, intoKeys, intoTimes, at, rows)
    else {
      values.all(vector, from, n, intoKeys, at)
      if (isTimed) times.all(timeVector, from, n, intoTimes, at)
      n
    }
  }

  private def readSome(
      vector: ColumnVector,
      timeVector: ColumnVector,
      from: Int,
      n: Int,
      intoKeys: Array[Long],
      intoTimes: Array[Long],
      at: Int,
      rows: Array[Int]
  ): Int = {
    var found = 0
    var i = 0
    while (i < n) {
      val row = from + i
      if (!vector.isNullAt(row) && (!isTimed || !timeVector.isNullAt(row))) {
        intoKeys(at + found) = values.one(vector, row)
        if (isTimed) intoTimes(at + found) = times.one(timeVector, row)
        if (rows != null) rows(found) = i
        found += 1
      }
      i += 1
    }
    found
  }
}
