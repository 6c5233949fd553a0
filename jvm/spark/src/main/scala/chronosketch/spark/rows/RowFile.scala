package chronosketch.spark.rows

import scala.util.control.NonFatal

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.util.collection.unsafe.sort.UnsafeSorterSpillReader

import chronosketch.spark.sql.SparkPrivates

/** Writes rows to a file and reads them back in the same order. */
final class RowFile(rows: Int) {
  private val writer = SparkPrivates.fileOf(rows)
  private var openReader: UnsafeSorterSpillReader = null
  private var isWritten = false
  private var written = 0L

  private def reader: UnsafeSorterSpillReader = {
    if (openReader == null) openReader = writer.getReader(SparkEnv.get.serializerManager)
    openReader
  }

  def bytes: Long = written

  def write(row: UnsafeRow): Unit = {
    writer.write(row.getBaseObject, row.getBaseOffset, row.getSizeInBytes, 0L)
    written += row.getSizeInBytes
  }

  def close(): Unit = {
    writer.close()
    isWritten = true
  }

  def hasNext: Boolean = reader.hasNext

  /** Points `row` to the next row of the file. It is valid until the next call. */
  def next(row: UnsafeRow): Unit = {
    reader.loadNext()
    row.pointTo(reader.getBaseObject, reader.getBaseOffset, reader.getRecordLength)
  }

  /** Deletes the file, also one that a killed task has not finished. */
  def delete(): Unit = {
    try if (openReader != null) openReader.close() else if (!isWritten) close()
    // the stream of an interrupted thread is already closed; the bytes are not needed
    catch { case NonFatal(_) => }
    val file = writer.getFile
    if (file.exists) file.delete()
    ()
  }
}
