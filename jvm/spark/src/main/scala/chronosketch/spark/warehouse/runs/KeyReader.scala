package chronosketch.spark.warehouse.runs

import java.nio.ByteBuffer
import java.util.function.ToLongFunction
import java.util.stream.IntStream

import scala.collection.mutable

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.column.ColumnReader
import org.apache.parquet.column.impl.ColumnReadStoreImpl
import org.apache.parquet.column.page.PageReadStore
import org.apache.parquet.example.data.simple.convert.GroupRecordConverter
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.{BlockMetaData, ColumnPath}
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.apache.parquet.internal.column.columnindex.OffsetIndex
import org.apache.parquet.internal.filter2.columnindex.RowRanges
import org.apache.parquet.io.{DelegatingSeekableInputStream, InputFile, SeekableInputStream}
import org.apache.parquet.schema.LogicalTypeAnnotation.{TimeLogicalTypeAnnotation, TimeUnit}
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName
import org.apache.parquet.schema.{MessageType, PrimitiveType}
import org.apache.spark.TaskContext
import org.apache.spark.sql.types.{DataType, StructType}

import chronosketch.domain.DoubleKeys
import chronosketch.memory.Meter
import chronosketch.spark.memory.AggregateMemory
import chronosketch.spark.sql.SparkPrivates
import chronosketch.spark.warehouse.manifest.{EntryFile, Run}
import chronosketch.warehouse.DamagedWarehouse

/** Reads keys of runs by their rows, in this thread. Files stay open until [[close]].
  *
  * Memory  the cached pages, 8 bytes a row; in a task they are requested from Spark, and dropped if it refuses
  *
  * @param columns     the columns of the runs; the value is the last one
  * @param task        the task that reads; None in the driver
  * @param cachedPages how many pages of a thousand rows are cached per file
  */
private[warehouse] final class KeyReader(
    folders: EntryFolders,
    columns: StructType,
    task: Option[TaskContext],
    cachedPages: Int = KeyReader.CachedPages
) extends AutoCloseable {
  val count = new ReadCount
  private val pages = new Meter
  private val memory = task.map(running => new AggregateMemory(SparkPrivates.memoryOf(running), pages))
  private val open = mutable.HashMap.empty[(String, String), KeyFile]

  private val conf = {
    val own = new Configuration(folders.conf)
    // vectored reads would bypass the counter
    own.setBoolean("parquet.hadoop.vectored.io.enabled", false)
    own
  }

  /** The keys of the rows from `from` until `until` of a run, counted from 0. */
  def read(run: Run, from: Long, until: Long): Array[Long] = {
    val keys = new Array[Long]((until - from).toInt)
    var start = 0L
    run.files.zip(folders.rowFiles(run)).foreach { case (file, path) =>
      val first = math.max(from, start)
      val last = math.min(until, start + file.rows)
      if (first < last) {
        val opened = open.getOrElseUpdate(
          (run.id, file.name), {
            folders.requireFile(path, file)
            new KeyFile(path, file, columns, conf, count, pages, cachedPages)
          }
        )
        opened.read(first - start, last - start, keys, (first - from).toInt)
      }
      start += file.rows
    }
    memory.filterNot(_.request()).foreach { refused =>
      open.values.foreach(_.dropPages())
      refused.release()
    }
    keys
  }

  def close(): Unit = {
    open.values.foreach(_.close())
    memory.foreach(_.release())
  }
}

private[warehouse] object KeyReader {

  /** The pages cached per file if many searches read from it. */
  val CachedPages = 512

  /** The pages cached per file if rows are read in sequence: two reads may share a page. */
  val FewPages = 64
}

/** Reads the values of rows of a run's file, as keys. It uses no column statistics, because the summary tells which rows are needed.
  *
  * Cost  the footer once; for each row group touched its offset index once, and each page with a needed row once
  *
  * A file whose columns or number of rows differ from those in the manifest is refused before any row is read.
  *
  * @param columns        the columns of the run; the value is the last one
  * @param pages          counts the memory of cached pages
  * @param maxCachedPages how many pages of a thousand rows are cached for repeated reads
  */
private[runs] final class KeyFile(
    path: Path,
    file: EntryFile,
    columns: StructType,
    conf: Configuration,
    count: ReadCount,
    pages: Meter,
    maxCachedPages: Int
) extends AutoCloseable {
  private val reader = new ParquetFileReader(
    new CountingInputFile(HadoopInputFile.fromPath(path, conf), count.addBytes),
    HadoopReadOptions.builder(conf).build()
  )
  private val value = columns.last.name
  private val groupStarts =
    reader.getRowGroups.toArray(Array.empty[BlockMetaData])
      .scanLeft(0L)(_ + _.getRowCount)
  requireContents()

  private val fileSchema: MessageType = reader.getFileMetaData.getSchema
  private val schema =
    new MessageType(fileSchema.getName, fileSchema.getFields.get(fileSchema.getFieldIndex(value)))
  private val column = ColumnPath.get(value)
  private val keyOf = KeyFile.keyFunction(schema.getType(0).asPrimitiveType)
  reader.setRequestedSchema(schema)

  private def requireContents(): Unit = {
    def damaged(why: String): Nothing = {
      reader.close()
      throw DamagedWarehouse(s"the file $path $why")
    }
    if (groupStarts.last != file.rows) damaged(s"has ${groupStarts.last} rows, but should have ${file.rows}")
    val stored = Option(reader.getFileMetaData.getKeyValueMetaData.get(KeyFile.RowSchema))
    val (found, known) = (stored.map(KeyFile.columnText), KeyFile.columnText(columns.json))
    if (!found.contains(known))
      damaged(s"has the columns ${found.getOrElse("of another writer")}, but should have $known")
  }

  /** Reads the keys of the rows from `from` until `until` into an array at an index. */
  def read(from: Long, until: Long, into: Array[Long], at: Int): Unit = {
    var group = groupStarts.indexWhere(_ > from) - 1
    while (group < groupStarts.length - 1 && groupStarts(group) < until) {
      val first = math.max(from, groupStarts(group))
      val last = math.min(until, groupStarts(group + 1))
      readGroup(group, first - groupStarts(group), last - groupStarts(group), into, at + (first - from).toInt)
      group += 1
    }
  }

  // cached pages, by row group and page number, because many searches read from the same page
  private val cache = mutable.HashMap.empty[(Int, Int), Array[Long]]

  private def readGroup(group: Int, from: Long, until: Long, into: Array[Long], at: Int): Unit = {
    val index = reader.getColumnIndexStore(group).getOffsetIndex(column)
    var page = 0
    while (page + 1 < index.getPageCount && index.getFirstRowIndex(page + 1) <= from) page += 1
    while (page < index.getPageCount && index.getFirstRowIndex(page) < until) {
      val start = index.getFirstRowIndex(page)
      if (!cache.contains((group, page))) loadPages(group, page, until, index)
      val keys = cache((group, page))
      val first = math.max(from, start)
      val last = math.min(until, start + keys.length)
      System.arraycopy(keys, (first - start).toInt, into, at + (first - from).toInt, (last - first).toInt)
      page += 1
    }
  }

  /** Reads a page, and in the same request the following pages that begin before row `until`, up to the first cached one. */
  private def loadPages(group: Int, page: Int, until: Long, index: OffsetIndex): Unit = {
    if (cache.size >= maxCachedPages) dropPages()
    var end = page + 1
    while (end < index.getPageCount && index.getFirstRowIndex(end) < until && !cache.contains((group, end)))
      end += 1
    val rows = groupStarts(group + 1) - groupStarts(group)
    val ranges = RowRanges.create(rows, IntStream.range(page, end).iterator(), index)
    val values = columnReader(reader.readFilteredRowGroup(group, ranges))
    count.addRows(ranges.rowCount())
    (page until end).foreach { p =>
      val keys = new Array[Long]((index.getLastRowIndex(p, rows) - index.getFirstRowIndex(p) + 1).toInt)
      var i = 0
      while (i < keys.length) { keys(i) = keyOf.applyAsLong(values); values.consume(); i += 1 }
      cache((group, p)) = keys
      pages.add(Meter.longs(keys.length))
    }
  }

  def dropPages(): Unit = {
    pages.add(-cache.valuesIterator.map(keys => Meter.longs(keys.length)).sum)
    cache.clear()
  }

  private def columnReader(store: PageReadStore): ColumnReader = {
    val converter = new GroupRecordConverter(schema).getRootConverter
    new ColumnReadStoreImpl(store, converter, schema, reader.getFileMetaData.getCreatedBy)
      .getColumnReader(schema.getColumns.get(0))
  }

  def close(): Unit = reader.close()
}

private[runs] object KeyFile {
  private val NanosPerMicro = 1000L

  /** The footer key under which Spark writes the types of a file's columns. */
  private val RowSchema = "org.apache.spark.sql.parquet.row.metadata"

  /** Formats the names and types of columns from their JSON. */
  private def columnText(json: String): String = DataType.fromJson(json) match {
    case columns: StructType => columns.map(c => s"${c.name} ${c.dataType.sql}").mkString(", ")
    case other => other.sql
  }

  /** Returns the function that reads the key of a reader's current value. */
  private def keyFunction(column: PrimitiveType): ToLongFunction[ColumnReader] =
    column.getPrimitiveTypeName match {
      case PrimitiveTypeName.INT32 => _.getInteger.toLong
      case PrimitiveTypeName.INT64 =>
        column.getLogicalTypeAnnotation match {
          case time: TimeLogicalTypeAnnotation if time.getUnit == TimeUnit.MICROS => _.getLong * NanosPerMicro
          case _ => _.getLong
        }
      case PrimitiveTypeName.FLOAT => values => DoubleKeys.key(values.getFloat.toDouble)
      case PrimitiveTypeName.DOUBLE => values => DoubleKeys.key(values.getDouble)
      case other => throw DamagedWarehouse(s"its values are stored as $other")
    }
}

/** Counts the rows and bytes that were read for a query. */
private[warehouse] final class ReadCount {
  var rows, bytes = 0L
  def addRows(more: Long): Unit = rows += more
  def addBytes(more: Long): Unit = bytes += more
}

/** An input file that counts the bytes read from it: Spark's own count misses vectored reads. */
private[runs] final class CountingInputFile(file: InputFile, count: Long => Unit) extends InputFile {
  def getLength: Long = file.getLength

  def newStream(): SeekableInputStream = {
    val stream = file.newStream()
    new DelegatingSeekableInputStream(stream) {
      override def getPos: Long = stream.getPos
      override def seek(position: Long): Unit = stream.seek(position)

      override def read(): Int = {
        val byte = stream.read()
        if (byte >= 0) count(1)
        byte
      }
      override def read(bytes: Array[Byte], from: Int, length: Int): Int =
        counted(stream.read(bytes, from, length))
      override def read(buffer: ByteBuffer): Int = counted(stream.read(buffer))
      override def readFully(bytes: Array[Byte]): Unit = readFully(bytes, 0, bytes.length)
      override def readFully(bytes: Array[Byte], from: Int, length: Int): Unit = {
        stream.readFully(bytes, from, length)
        count(length.toLong)
      }
      override def readFully(buffer: ByteBuffer): Unit = {
        val length = buffer.remaining
        stream.readFully(buffer)
        count(length.toLong)
      }
    }
  }

  private def counted(read: Int): Int = {
    if (read > 0) count(read.toLong)
    read
  }
}
