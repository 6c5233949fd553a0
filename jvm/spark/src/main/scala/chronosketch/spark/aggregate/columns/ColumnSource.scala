package chronosketch.spark.aggregate.columns

import org.apache.spark.sql.vectorized.ColumnarBatch

import chronosketch.Refusal
import chronosketch.spark.aggregate.operator.{AggregateState, BatchColumn, RowSource, TimedColumn}
import chronosketch.summary.{Inserts, Summary, Timed}

/** The columns that are read from a batch, with their readers.
  *
  * @param grouping the positions of the grouping columns; empty if there is a single group
  * @param values   the positions of each column that is summarised
  */
private[columns] final case class ColumnPlaces(
    grouping: Seq[(Int, ColumnKeys)],
    values: Seq[ColumnPlace]
)

/** The position of values and, if times are summarised too, that of their times. */
private[columns] final case class ColumnPlace(value: (Int, ColumnKeys), time: Option[(Int, ColumnKeys)])

/** Inserts columnar batches into groups, column by column.
  *
  * Cost  for each row one copy of its keys and values; rows with grouping keys are buffered, as in
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

  /** The number of rows that can be taken at once. */
  protected def room: Int
  protected def put(batch: ColumnarBatch, from: Int, n: Int): Unit
}

private[columns] object ColumnSource {
  def of(places: ColumnPlaces, state: AggregateState, batches: Iterator[ColumnarBatch]): ColumnSource =
    if (places.grouping.isEmpty) new Ungrouped(places, state, batches)
    else new Grouped(places, state, batches)

  /** The number of rows read at once: this many rows of a column fit a processor's cache. */
  private val MostRows: Int = 1 << 12

  private final class Ungrouped(places: ColumnPlaces, state: AggregateState, batches: Iterator[ColumnarBatch])
      extends ColumnSource(batches) {
    private val values = places.values.map(new ColumnValues(_)).toArray
    private val keys = new Array[Long](MostRows)
    private val times = new Array[Long](if (values.exists(_.isTimed)) MostRows else 0)
    protected def room: Int = keys.length

    protected def put(batch: ColumnarBatch, from: Int, n: Int): Unit = {
      var i = 0
      while (i < values.length) {
        val found = values(i).read(batch, from, n, keys, times, 0, null)
        val summary: Summary = state.summaries(i).summary(0)
        try
          if (values(i).isTimed) summary.asInstanceOf[Timed].insertAll(keys, times, 0, found)
          else summary.asInstanceOf[Inserts].insertAll(keys, 0, found)
        catch { case refusal: Refusal => throw state.refused(i, refusal) }
        i += 1
      }
      state.countRows(n)
    }
  }

  private final class Grouped(
      places: ColumnPlaces,
      state: AggregateState,
      batches: Iterator[ColumnarBatch]
  ) extends ColumnSource(batches) {
    private val values = places.values.map(new ColumnValues(_)).toArray
    private val waiting = state.batch
    private val keys = new ColumnTuples(places.grouping, state.keyTuples, MostRows)

    // the rows that have a value, if some have none
    private val found = new Array[Int](MostRows)
    protected def room: Int = math.min(waiting.room, MostRows)

    protected def put(batch: ColumnarBatch, from: Int, n: Int): Unit = {
      keys.read(batch, from, n, waiting)
      var i = 0
      while (i < values.length) {
        readValues(waiting.column(i), values(i), batch, from, n)
        i += 1
      }
      if (waiting.addRows(n)) state.flush()
    }

    private def readValues(
        column: BatchColumn,
        value: ColumnValues,
        batch: ColumnarBatch,
        from: Int,
        n: Int
    ): Unit = {
      val times = column match {
        case timed: TimedColumn => timed.timesOfRows
        case _ => null
      }
      val values = value.read(batch, from, n, column.keysOfRows, times, column.size, found)
      if (values == n) column.putRows(waiting.row, n) else column.putSome(waiting.row, found, values)
    }
  }
}
