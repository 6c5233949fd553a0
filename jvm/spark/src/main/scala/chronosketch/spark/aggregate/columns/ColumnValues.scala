package chronosketch.spark.aggregate.columns

import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

/** Reads values, and their times if these are summarised, from a columnar batch.
  *
  * Cost  one pass over each column; if one has NULLs, each row is tested
  */
private[columns] final class ColumnValues(place: ColumnPlace) {
  private val (value, values) = place.value
  private val (time, times) = place.time.getOrElse((-1, null))

  def isTimed: Boolean = times != null

  /** Writes the keys and times of n rows, starting at row `from`, into arrays, starting at `at`, and returns how many were written.
    * Rows without a value or a time are left out. If the columns have NULLs, `rows`, unless it is null, receives the positions of the
    * rows that were written, counted from 0.
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
