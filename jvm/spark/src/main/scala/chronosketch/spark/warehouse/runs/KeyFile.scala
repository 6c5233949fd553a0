package chronosketch.spark.warehouse.runs

import java.util.stream.IntStream

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.column.ColumnReader
import org.apache.parquet.column.impl.ColumnReadStoreImpl
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.internal.filter2.columnindex.RowRanges
import org.apache.parquet.schema.LogicalTypeAnnotation.{TimeLogicalTypeAnnotation, TimeUnit}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.{MessageType, PrimitiveType}

import chronosketch.domain.DoubleKeys

/** The values of a file of a run, as keys, by their rows: no statistics are asked, for the summary says which rows are wanted.
  *
  * Cost  the footer once; of each row group that is touched its offset index once, and the pages that have one of the rows
  */
private[runs] final class KeyFile(path: Path, value: String, conf: Configuration, count: ReadCount)
    extends AutoCloseable {
  private val reader = new ParquetFileReader(
    new CountedInput(HadoopInputFile.fromPath(path, conf), count.addBytes),
    HadoopReadOptions.builder(conf).build()
  )
  private val whole: MessageType = reader.getFileMetaData.getSchema
  private val schema = new MessageType(whole.getName, whole.getFields.get(whole.getFieldIndex(value)))
  private val column = ColumnPath.get(value)
  private val keyOf = KeyFile.keys(schema.getType(0).asPrimitiveType)
  private val starts =
    reader.getRowGroups.toArray(Array.empty[org.apache.parquet.hadoop.metadata.BlockMetaData])
      .scanLeft(0L)(_ + _.getRowCount)
  reader.setRequestedSchema(schema)

  /** The keys of the rows from `from` until `until`, put into an array from a place on. */
  def read(from: Long, until: Long, into: Array[Long], at: Int): Unit = {
    var group = starts.indexWhere(_ > from) - 1
    while (group < starts.length - 1 && starts(group) < until) {
      val first = math.max(from, starts(group))
      val last = math.min(until, starts(group + 1))
      readGroup(group, first - starts(group), last - starts(group), into, at + (first - from).toInt)
      group += 1
    }
  }

  private def readGroup(group: Int, from: Long, until: Long, into: Array[Long], at: Int): Unit = {
    val rows = starts(group + 1) - starts(group)
    val pages = reader.getColumnIndexStore(group).getOffsetIndex(column)
    var page = 0
    while (pages.getLastRowIndex(page, rows) < from) page += 1
    val firstPage = page
    while (page < pages.getPageCount && pages.getFirstRowIndex(page) < until) page += 1
    val ranges = RowRanges.create(rows, IntStream.range(firstPage, page).iterator(), pages)
    val store = reader.readFilteredRowGroup(group, ranges)
    count.addRows(ranges.rowCount())
    decode(store, pages.getFirstRowIndex(firstPage), from, until, into, at)
  }

  private def decode(
      store: PageReadStore,
      first: Long,
      from: Long,
      until: Long,
      into: Array[Long],
      at: Int
  ): Unit = {
    val converter = new GroupRecordConverter(schema).getRootConverter
    val columns = new ColumnReadStoreImpl(store, converter, schema, reader.getFileMetaData.getCreatedBy)
    val values = columns.getColumnReader(schema.getColumns.get(0))
    var row = first
    while (row < until) {
      if (row >= from) into(at + (row - from).toInt) = keyOf(values)
      else values.skip()
      values.consume()
      row += 1
    }
  }

  def close(): Unit = reader.close()
}

private[runs] object KeyFile {
  private val NanosPerMicro = 1000L

  /** The key of the value at which a reader stands. */
  private def keys(column: PrimitiveType): ColumnReader => Long = column.getPrimitiveTypeName match {
    case PrimitiveTypeName.INT32 => _.getInteger.toLong
    case PrimitiveTypeName.INT64 =>
      column.getLogicalTypeAnnotation match {
        case time: TimeLogicalTypeAnnotation if time.getUnit == TimeUnit.MICROS => _.getLong * NanosPerMicro
        case _ => _.getLong
      }
    case PrimitiveTypeName.FLOAT => values => DoubleKeys.key(values.getFloat.toDouble)
    case PrimitiveTypeName.DOUBLE => values => DoubleKeys.key(values.getDouble)
    case other => throw RunFolders.damaged(s"its values are stored as $other")
  }
}

/** What has been read, to answer a question. */
private[warehouse] final class ReadCount {
  var rows, bytes = 0L
  def addRows(more: Long): Unit = rows += more
  def addBytes(more: Long): Unit = bytes += more
}
