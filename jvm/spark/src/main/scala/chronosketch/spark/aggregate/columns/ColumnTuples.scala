package chronosketch.spark.aggregate.columns

import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import chronosketch.spark.aggregate.operator.RowBatch
import chronosketch.spark.rows.{KeyNumbers, KeyTuples}

/** Reads the grouping columns into a batch. A single column gives its keys. Several columns are numbered pair by pair, and the last
  * pair is the key (see [[KeyTuples]]).
  *
  * Cost  a copy of a single column; for several columns two look-ups each, for many rows at once
  */
private[columns] final class ColumnTuples(
    columns: Seq[(Int, ColumnKeys)],
    tuples: KeyTuples,
    mostRows: Int
) {
  private val places = columns.map(_._1).toArray
  private val readers = columns.zipWithIndex.map { case ((_, keys), i) =>
    keys.numberedBy(tuples.ofColumn(i))
  }.toArray
  private val last = places.length - 1

  // scratch for several columns: keys or pairs, the numbers of the columns so far, the numbers of the next column
  private val keys = new Array[Long](if (last > 0) mostRows else 0)
  private val left = new Array[Int](keys.length)
  private val right = new Array[Int](keys.length)

  def read(batch: ColumnarBatch, from: Int, n: Int, waiting: RowBatch): Unit =
    if (last == 0) readOnly(batch.column(places(0)), from, n, waiting)
    else {
      number(batch, 0, from, n, left)
      var column = 1
      while (column < last) {
        number(batch, column, from, n, right)
        pair(n, keys, 0)
        tuples.ofPairs(column).findAll(keys, n, left)
        column += 1
      }
      number(batch, last, from, n, right)
      pair(n, waiting.keysOfRows, waiting.row)
    }

  private def readOnly(vector: ColumnVector, from: Int, n: Int, waiting: RowBatch): Unit =
    if (!vector.hasNull) readers(0).all(vector, from, n, waiting.keysOfRows, waiting.row)
    else {
      var i = 0
      while (i < n) {
        val row = waiting.row + i
        if (vector.isNullAt(from + i)) waiting.markNull(row)
        else waiting.keysOfRows(row) = readers(0).one(vector, from + i)
        i += 1
      }
    }

  private def number(batch: ColumnarBatch, column: Int, from: Int, n: Int, into: Array[Int]): Unit = {
    val vector = batch.column(places(column))
    val numbers = tuples.ofColumn(column)
    if (!vector.hasNull) {
      readers(column).all(vector, from, n, keys, 0)
      numbers.findAll(keys, n, into)
    } else numberEach(vector, readers(column), numbers, from, n, into)
  }

  private def numberEach(
      vector: ColumnVector,
      reader: ColumnKeys,
      numbers: KeyNumbers,
      from: Int,
      n: Int,
      into: Array[Int]
  ): Unit = {
    var i = 0
    while (i < n) {
      into(i) =
        if (vector.isNullAt(from + i)) numbers.findNull() else numbers.find(reader.one(vector, from + i))
      i += 1
    }
  }

  private def pair(n: Int, into: Array[Long], at: Int): Unit = {
    var i = 0
    while (i < n) { into(at + i) = KeyTuples.pair(left(i), right(i)); i += 1 }
  }
}
