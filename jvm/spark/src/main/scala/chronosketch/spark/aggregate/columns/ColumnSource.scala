package chronosketch.spark.aggregate.columns

import org.apache.spark.sql.vectorized.{ColumnVector, ColumnarBatch}

import chronosketch.Refusal
import chronosketch.spark.aggregate.operator.{AggregateState, RowSource}

/** Which columns of a batch are read, and how.
  *
  * @param grouping the places of the columns that rows are grouped by; none: there is one group
  * @param values   the place of each column that is summarised
  */
private[columns] final case class ColumnPlaces(
    grouping: Seq[(Int, ColumnKeys)],
    values: Seq[(Int, ColumnKeys)]
)

/** Puts batches of columns into groups, column by column.
  *
  * Cost  a row: its keys and its values are copied once; what is grouped waits for others, as in
  *       [[chronosketch.spark.aggregate.operator.RowBatch]]
  */
private[columns] abstract class ColumnSource(batches: Iterator[ColumnarBatch]) extends RowSource {
  private var batch: ColumnarBatch = null
  private var next = 0

  final def hasNext: Boolean = {
    while ((batch == null || next == batch.numRows) && batches.hasNext) {
      batch = batches.next()
      next = 0
    }
    batch != null && next < batch.numRows
  }

  final def put(): Unit = {
    val n = math.min(room, batch.numRows - next)
    put(batch, next, n)
    next += n
  }

  /** How many rows are taken at once. */
  protected def room: Int
  protected def put(batch: ColumnarBatch, from: Int, n: Int): Unit
}

private[columns] object ColumnSource {
  def of(places: ColumnPlaces, state: AggregateState, batches: Iterator[ColumnarBatch]): ColumnSource =
    if (places.grouping.isEmpty) new Ungrouped(places, state, batches)
    else new Grouped(places, state, batches)

  /** So many rows of a column fit a processor's cache. */
  private val MostRows: Int = 1 << 12

  private final class Ungrouped(places: ColumnPlaces, state: AggregateState, batches: Iterator[ColumnarBatch])
      extends ColumnSource(batches) {
    private val values = places.values.toArray
    private val keys = new Array[Long](MostRows)
    protected def room: Int = keys.length

    protected def put(batch: ColumnarBatch, from: Int, n: Int): Unit = {
      var i = 0
      while (i < values.length) {
        val (place, reader) = values(i)
        val found = read(reader, batch.column(place), from, n)
        try state.inserts(i).summary(0).insertAll(keys, 0, found)
        catch { case refusal: Refusal => throw state.refused(i, refusal) }
        i += 1
      }
      state.countRows(n)
    }

    /** How many of them are not NULL. */
    private def read(reader: ColumnKeys, vector: ColumnVector, from: Int, n: Int): Int =
      if (!vector.hasNull) {
        reader.all(vector, from, n, keys, 0)
        n
      } else {
        var found = 0
        var row = from
        while (row < from + n) {
          if (!vector.isNullAt(row)) {
            keys(found) = reader.one(vector, row)
            found += 1
          }
          row += 1
        }
        found
      }
  }

  private final class Grouped(
      places: ColumnPlaces,
      state: AggregateState,
      batches: Iterator[ColumnarBatch]
  ) extends ColumnSource(batches) {
    private val values = places.values.toArray
    private val waiting = state.batch
    private val keys = new ColumnTuples(places.grouping, state.keyTuples, MostRows)
    protected def room: Int = math.min(waiting.room, MostRows)

    protected def put(batch: ColumnarBatch, from: Int, n: Int): Unit = {
      keys.read(batch, from, n, waiting)
      var i = 0
      while (i < values.length) {
        val (place, reader) = values(i)
        readValues(i, reader, batch.column(place), from, n)
        i += 1
      }
      if (waiting.isFullWithRows(n)) state.flush()
    }

    private def readValues(i: Int, reader: ColumnKeys, vector: ColumnVector, from: Int, n: Int): Unit = {
      val column = waiting.column(i)
      if (!vector.hasNull) {
        reader.all(vector, from, n, column.keysOfRows, column.size)
        column.putRows(waiting.row, n)
      } else {
        var j = 0
        while (j < n) {
          if (!vector.isNullAt(from + j)) column.put(waiting.row + j, reader.one(vector, from + j))
          j += 1
        }
      }
    }
  }
}
