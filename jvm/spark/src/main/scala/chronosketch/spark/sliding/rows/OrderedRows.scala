package chronosketch.spark.sliding.rows

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.{SortPrefixUtils, UnsafeExternalRowSorter}
import org.apache.spark.sql.types.{BinaryType, LongType, StructField, StructType}

import chronosketch.Refusal
import chronosketch.spark.rows.PartitionChanges
import chronosketch.spark.sliding.frames.FrameColumns
import chronosketch.spark.sql.{Conditions, SparkPrivates}

/** Provides rows with room for their answers, ordered by partition and ORDER BY. Their columns are loaded first; the rows themselves
  * are returned later, when their answers are known.
  */
trait OrderedRows {

  /** Appends the columns of the next n rows, or of all that are left if they are fewer. There must be room for them. */
  def load(columns: FrameColumns, rows: Int): Unit

  /** Whether the columns of all rows have been appended. */
  def isExhausted: Boolean

  /** Returns the next row. It is valid until the next call. */
  def next(): UnsafeRow

  /** The most memory that rows have used at once. */
  def peakBytes: Long

  def close(): Unit
}

/** Tells in which order rows arrive. */
sealed trait Arrival
case object Unsorted extends Arrival
case object Sorted extends Arrival

/** Rows of a bucketed table whose definition says that each file is sorted. Each row is checked. */
final case class SortedByTable(table: String) extends Arrival

/** Describes how input rows are read and sorted. All expressions are bound to the input.
  *
  * @param width         columns of the input
  * @param wide          an input row with room for its answers
  * @param partitionKeys PARTITION BY
  * @param orderKey      64 bits that sort like ORDER BY, except for the NULLs of a single column; None if it does not fit 64 bits
  * @param elements      the values that functions insert, as keys or bytes; NULL if the row has none
  * @param sort          partition keys and ORDER BY
  * @param order         ORDER BY alone
  * @param arrival       whether the input is already sorted by `sort`
  * @param comparesPeers whether a frame needs the peers of a row, and there is no order key to tell them by
  * @param isRanged      whether the input is a range and its halo. Then each row has its place after its columns, where its first
  *                      answer will be
  */
final case class RowSpec(
    width: Int,
    wide: Seq[Expression],
    partitionKeys: Seq[Expression],
    orderKey: Option[Expression],
    nullsFirst: Boolean,
    elements: Seq[Expression],
    sort: Seq[SortOrder],
    order: Seq[SortOrder],
    arrival: Arrival,
    comparesPeers: Boolean,
    isRanged: Boolean
) {

  def isOrdered: Boolean = arrival != Unsorted

  /** Whether our own radix sort is used: the input is not sorted yet, and the order key and each element are 64 bits. */
  def sortsItself: Boolean =
    !isOrdered && (order.isEmpty || orderKey.nonEmpty) && !areElementsBytes.contains(true)

  /** Whether a row with room for its answers has the bytes of the input row, followed by NULLs. */
  def canWiden: Boolean = {
    val columns = wide.take(width)
    !isRanged && columns.forall(e => UnsafeRow.isFixedLength(e.dataType)) && columns.zipWithIndex.forall {
      case (BoundReference(place, _, _), i) => place == i
      case _ => false
    } && UnsafeRow.calculateBitSetWidthInBytes(wide.length) == UnsafeRow.calculateBitSetWidthInBytes(width)
  }

  /** For each element, whether it is a byte array. */
  def areElementsBytes: Array[Boolean] = elements.map(_.dataType == BinaryType).toArray

  /** The columns of a row's record: its order key and elements. */
  def columns: Seq[Expression] = orderKey.toSeq ++ elements

  def hasNulls: Boolean = columns.exists(_.nullable)
}

/** Reads rows that are already sorted, by the operator below or by Spark's sorter.
  *
  * @param areWide whether rows have room for their answers; if not, they are as the operator below returns them
  */
final class StreamedRows(
    spec: RowSpec,
    partition: Int,
    rows: Iterator[InternalRow],
    areWide: Boolean,
    queue: RowQueue
) extends OrderedRows {
  private val columnsOf = UnsafeProjection.create(spec.columns)
  private val wide = UnsafeProjection.create(spec.wide)
  columnsOf.initialize(partition)
  wide.initialize(partition)
  private val partitions = new PartitionChanges(spec.partitionKeys)
  private val canWiden = spec.canWiden
  private val elementsFrom = spec.orderKey.size
  private val elements = spec.elements.length
  private val areBytes = spec.areElementsBytes
  private var isStarted, exhausted = false
  private val promised = spec.arrival match {
    case SortedByTable(table) if !areWide => new PromisedOrder(spec, table, partition)
    case _ => null
  }

  private val comparesPeers = spec.comparesPeers
  private val peers: Ordering[InternalRow] =
    if (comparesPeers) RowOrdering.create(spec.order, Nil) else null
  private val previous = UnsafeRow.createFromByteArray(0, spec.wide.length)
  private var place = 0L // counts the groups of peers; used as the order key

  def isExhausted: Boolean = exhausted

  def load(columns: FrameColumns, count: Int): Unit = {
    var left = count
    while (left > 0 && rows.hasNext) {
      add(rows.next(), columns)
      left -= 1
    }
    if (left > 0 && !exhausted) {
      exhausted = true
      if (isStarted) columns.endPartition()
    }
  }

  /** Queues a row with room for its answers. The result has the columns of the row, and is valid until the next one is read. */
  private def queued(row: InternalRow): UnsafeRow = row match {
    case whole: UnsafeRow if areWide =>
      queue.add(whole)
      whole
    case compact: UnsafeRow if canWiden =>
      queue.addWidened(compact)
      compact
    case other =>
      val widened = wide(other)
      queue.add(widened)
      widened
  }

  private def add(input: InternalRow, columns: FrameColumns): Unit = {
    val row = queued(input)
    if (partitions.begins(row)) {
      if (isStarted) columns.endPartition()
      isStarted = true
      if (promised != null) promised.begin(row)
    }
    val at = columns.filled
    val record = columnsOf(row)
    var flags = 0L
    if (elementsFrom > 0) {
      columns.order(at) = record.getLong(0)
      if (record.isNullAt(0)) flags = 1L
      if (promised != null) promised.follow(flags != 0L, record.getLong(0))
    } else {
      if (comparesPeers) {
        if (place == 0 || peers.compare(previous, row) != 0) place += 1
        previous.copyFrom(row)
      }
      columns.order(at) = place
    }
    var e = 0
    while (e < elements) {
      if (record.isNullAt(elementsFrom + e)) flags |= 2L << e
      else
        columns.values(e)(at) =
          if (areBytes(e)) columns.bytes.add(record.getBinary(elementsFrom + e))
          else record.getLong(elementsFrom + e)
      e += 1
    }
    columns.flags(at) = flags
    columns.append(1)
  }

  def next(): UnsafeRow = queue.next()

  def peakBytes: Long = queue.peakBytes

  def close(): Unit = queue.close()
}

/** Ends the query at a row that comes too late in the file of a bucket. Windows before it have been answered without it.
  *
  * @param table the table whose definition says that its files are sorted
  */
final class PromisedOrder(spec: RowSpec, table: String, bucket: Int) {
  private val keysOf = UnsafeProjection.create(spec.partitionKeys)
  private val ordering = RowOrdering.createNaturalAscendingOrdering(spec.partitionKeys.map(_.dataType))
  private var keys: UnsafeRow = null
  private var order = Long.MinValue
  private var hasOrder = false

  /** Checks the first row of a partition. */
  def begin(row: InternalRow): Unit = {
    val next = keysOf(row)
    if (keys != null && ordering.compare(keys, next) >= 0) refuse()
    keys = next.copy()
    order = Long.MinValue
    hasOrder = false
  }

  /** Checks the order key of the next row of the partition. NULL comes first. */
  def follow(isNull: Boolean, key: Long): Unit =
    if (isNull) {
      if (hasOrder) refuse()
    } else {
      if (key < order) refuse()
      order = key
      hasOrder = true
    }

  private def refuse(): Nothing = throw Conditions.runtimeError(
    Refusal("CHRONOSKETCH_BUCKET_NOT_SORTED", "table" -> table, "bucket" -> bucket.toString),
    Map.empty
  )
}

/** Sorts with Spark's sorter, which can spill: by partition keys, by ORDER BY, and then in the order of arrival. For this each row
  * has its number in the column of its first answer. A row of a range has its place there.
  */
final class RowSorter(spec: RowSpec) {
  private val order =
    spec.sort :+ SortOrder(BoundReference(spec.width, LongType, nullable = false), Ascending)
  private val taskMetrics = TaskContext.get().taskMetrics()
  private val spilledBefore = taskMetrics.diskBytesSpilled
  private var count = 0L

  private val sorter = {
    val schema = StructType(spec.wide.zipWithIndex.map { case (e, i) => StructField(s"c$i", e.dataType) })
    val prefix = SortPrefix(order.head)
    val prefixOf = UnsafeProjection.create(Seq(prefix))
    val computer = new UnsafeExternalRowSorter.PrefixComputer {
      private val result = new UnsafeExternalRowSorter.PrefixComputer.Prefix
      def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix = {
        val value = prefixOf(row)
        result.isNull = value.isNullAt(0)
        result.value = if (result.isNull) prefix.nullValue else value.getLong(0)
        result
      }
    }
    UnsafeExternalRowSorter.create(
      schema,
      RowOrdering.create(order, Nil),
      SortPrefixUtils.getPrefixComparator(order.head),
      computer,
      SparkPrivates.memoryOf(TaskContext.get()).pageSizeBytes,
      false // more than one key: no radix sort
    )
  }

  def add(wide: UnsafeRow): Unit = {
    if (!spec.isRanged) wide.setLong(spec.width, count)
    count += 1
    sorter.insertRow(wide)
  }

  def size: Long = count

  /** Bytes that the task has spilled since this sorter was created. Spark only counts them for the whole task. */
  def spilledBytes: Long = taskMetrics.diskBytesSpilled - spilledBefore

  def sorted(): Iterator[UnsafeRow] = sorter.sort().asInstanceOf[Iterator[UnsafeRow]]

  def close(): Unit = sorter.cleanupResources()
}
