package chronosketch.spark.sliding

import scala.collection.mutable.ArrayDeque

/** What is kept of the rows of one group, so many words a row, where there are too many to be in memory: the last ones are, all
  * others on disk, to be read from the first to the last, and again.
  *
  * Memory  [[RowLog.ChunkRows]] rows, and as many for each [[RowCursor]]
  */
final class RowLog(val width: Int, spilled: Long => Unit) {
  private val files = new ArrayDeque[WordFile]
  private var first = 0L // the chunk that the first file holds
  private lazy val last = new Array[Long](RowLog.ChunkRows * width) // rows are added here
  private var rows = 0L

  def size: Long = rows

  /** The rows of a window: order key, flags, and what is kept of each element. */
  def add(order: Array[Long], flags: Array[Long], values: Array[Array[Long]], from: Int, until: Int): Unit = {
    var i = from
    while (i < until) {
      val at = (rows & RowLog.Mask).toInt * width
      last(at) = order(i)
      last(at + 1) = flags(i)
      var e = 0
      while (e < values.length) { last(at + 2 + e) = values(e)(i); e += 1 }
      rows += 1
      if ((rows & RowLog.Mask) == 0) {
        val file = new WordFile(last)
        files.append(file)
        spilled(file.bytes)
      }
      i += 1
    }
  }

  /** The words of a chunk that holds some row: those in memory, which rows are still added to, or a copy. */
  def chunk(number: Long, room: Array[Long]): Array[Long] =
    if (number == rows >>> RowLog.ChunkBits) last
    else {
      val into = if (room != null && (room ne last)) room else new Array[Long](RowLog.ChunkRows * width)
      files((number - first).toInt).read(into)
      into
    }

  /** Whether the chunk is the one that rows are added to. */
  def isLast(number: Long): Boolean = number == rows >>> RowLog.ChunkBits

  /** No row before this one is read any more. */
  def forget(row: Long): Unit = while (files.nonEmpty && (first + 1) << RowLog.ChunkBits <= row) {
    files.removeHead().delete()
    first += 1
  }

  /** There are no rows. */
  def clear(): Unit = {
    files.foreach(_.delete())
    files.clear()
    first = 0L
    rows = 0L
  }
}

object RowLog {
  val ChunkBits = 15
  val ChunkRows: Int = 1 << ChunkBits
  private[spark] val Mask: Long = ChunkRows - 1L
}

/** A place in a log, from which its rows are read one after the other. */
final class RowCursor(log: RowLog) {
  private val width = log.width
  private var room: Array[Long] = null
  private var words: Array[Long] = null
  private var chunk = -1L
  private var wasLast = false

  /** A word of a row: 0 its order key, 1 its flags, then its elements'. */
  def word(row: Long, column: Int): Long = {
    val number = row >>> RowLog.ChunkBits
    if (number != chunk || (wasLast && !log.isLast(number))) move(number)
    words((row & RowLog.Mask).toInt * width + column)
  }

  private def move(number: Long): Unit = {
    chunk = number
    wasLast = log.isLast(number)
    words = log.chunk(number, room)
    if (!wasLast) room = words
  }

  /** The log has other rows now. */
  def reset(): Unit = chunk = -1L
}
