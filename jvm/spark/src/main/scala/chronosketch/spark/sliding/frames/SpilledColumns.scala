package chronosketch.spark.sliding.frames

import scala.collection.mutable.ArrayDeque

import org.apache.spark.TaskContext

import chronosketch.spark.sql.SparkPrivates

/** Stores the columns of a partition that is too large for memory. The last page is in memory, all others are on disk. Pages can be
  * read any number of times.
  *
  * Memory  [[SpilledColumns.PageRows]] rows, and again for each [[ColumnCursor]]
  */
final class SpilledColumns(values: Int, spilled: Long => Unit) extends ColumnSource {
  private val task = TaskContext.get()
  private val files = new ArrayDeque[WordFile]
  private var firstFile = 0L // the page in the first file
  private lazy val last = newPage() // rows are added here
  private var start = 0L
  private var rows = 0L

  private def newPage(): Array[Array[Long]] = Array.fill(2 + values)(new Array[Long](SpilledColumns.PageRows))

  /** The number of the next row. */
  def end: Long = start + rows

  /** Removes all rows. The next row has this number. */
  def begin(row: Long): Unit = {
    clear()
    start = row
  }

  /** Appends the rows from [[end]] until `until` of these columns. */
  def append(columns: FrameColumns, until: Long): Unit =
    while (end < until) {
      SparkPrivates.endIfKilled(task)
      val from = (end - columns.first).toInt
      val at = (rows & SpilledColumns.Mask).toInt
      val count = math.min(until - end, (SpilledColumns.PageRows - at).toLong).toInt
      System.arraycopy(columns.order, from, last(0), at, count)
      System.arraycopy(columns.flags, from, last(1), at, count)
      var e = 0
      while (e < values) {
        System.arraycopy(columns.values(e), from, last(2 + e), at, count)
        e += 1
      }
      rows += count
      if ((rows & SpilledColumns.Mask) == 0) {
        val file = new WordFile(last)
        files.append(file)
        spilled(file.bytes)
      }
    }

  def show(row: Long, cursor: ColumnCursor): Unit = {
    // whoever reads rows from disk may read millions of them for one frame
    SparkPrivates.endIfKilled(task)
    val page = (row - start) >>> SpilledColumns.PageBits
    val from = start + (page << SpilledColumns.PageBits)
    val isLast = page == rows >>> SpilledColumns.PageBits
    val columns =
      if (isLast) last
      else {
        if (cursor.room == null) cursor.room = newPage()
        files((page - firstFile).toInt).read(cursor.room)
        cursor.room
      }
    val until = if (isLast) end else from + SpilledColumns.PageRows
    cursor.show(columns(0), columns(1), columns.drop(2), from, until, isGrowing = isLast)
  }

  /** Deletes the files that only have rows before this one. */
  def forget(row: Long): Unit =
    while (files.nonEmpty && (firstFile + 1) << SpilledColumns.PageBits <= row - start) {
      files.removeHead().delete()
      firstFile += 1
    }

  /** Removes all rows and files. */
  def clear(): Unit = {
    files.foreach(_.delete())
    files.clear()
    firstFile = 0L
    start = 0L
    rows = 0L
  }
}

object SpilledColumns {
  private final val PageBits = 15
  final val PageRows: Int = 1 << PageBits
  private final val Mask = PageRows - 1L
}
