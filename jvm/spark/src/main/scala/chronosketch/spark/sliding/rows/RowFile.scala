package chronosketch.spark.sliding.rows

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.spark.sql.SparkPrivates

/** Rows on disk, read in the order in which they were written. */
final class RowFile(rows: Int) {
  private val writer = SparkPrivates.fileOf(rows)
  private lazy val reader = writer.getReader(SparkEnv.get.serializerManager)
  private var written = 0L

  def bytes: Long = written

  def write(row: UnsafeRow): Unit = {
    writer.write(row.getBaseObject, row.getBaseOffset, row.getSizeInBytes, 0L)
    written += row.getSizeInBytes
  }

  def close(): Unit = writer.close()

  def hasNext: Boolean = reader.hasNext

  /** Makes a row show the next one, until the one after it is asked for. */
  def next(row: UnsafeRow): Unit = {
    reader.loadNext()
    row.pointTo(reader.getBaseObject, reader.getBaseOffset, reader.getRecordLength)
  }

  def delete(): Unit = {
    if (written > 0) reader.close()
    val file = writer.getFile
    if (file.exists) file.delete()
    ()
  }
}
