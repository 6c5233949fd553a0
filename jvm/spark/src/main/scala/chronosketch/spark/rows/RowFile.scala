package chronosketch.spark.rows

import org.apache.spark.SparkEnv
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.spark.sql.SparkPrivates

/** Writes rows to a file and reads them back in the same order. */
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

  /** Points `row` to the next row of the file. It is valid until the next call. */
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
