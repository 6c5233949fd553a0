package chronosketch.spark.sliding.task

import org.apache.spark.TaskContext
import org.apache.spark.memory.MemoryMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import chronosketch.spark.memory.SlidingMemory
import chronosketch.spark.rows.PartitionNumbers
import chronosketch.spark.sliding.ranges.HaloRows
import chronosketch.spark.sliding.rows._
import chronosketch.spark.sql.SparkPrivates

/** Sorts the rows of one task and returns each with its answers. */
final class SlidingIterator(spec: SlidingSpec, partition: Int, input: Iterator[InternalRow])
    extends Iterator[InternalRow] {
  private val task = TaskContext.get()
  private val layout = spec.rows
  private val manager = SparkPrivates.memoryOf(task)
  private val wide = UnsafeProjection.create(layout.wide)
  private val metrics = spec.metrics
  wide.initialize(partition)

  private var source: OrderedRows = null
  private var window: SlidingWindow = null
  private var writer: AnswerWriter = null
  private var at, ready = 0
  private var out = 0L
  private val haloRows = if (layout.isRanged) new HaloRows(input, layout.width) else null
  private val rows = if (layout.isRanged) haloRows else input
  private var remaining = Long.MaxValue // rows to return; the halo's are not returned

  override def hasNext: Boolean = {
    if (source == null) begin()
    if (remaining > 0) at < ready || advance()
    else {
      end()
      false
    }
  }

  private def advance(): Boolean = {
    ready = if (window == null) 0 else window.advance()
    at = 0
    if (ready == 0) end()
    ready > 0
  }

  override def next(): InternalRow = {
    if (!hasNext) throw new NoSuchElementException("no row is left")
    // a segment can have millions of rows
    SparkPrivates.endIfKilled(task, out)
    val row = writer.write(source.next(), at)
    at += 1
    out += 1
    remaining -= 1
    row
  }

  private def begin(): Unit = {
    val memory = new SlidingMemory(manager, MemoryMode.ON_HEAP, _ => 0L)
    source =
      if (layout.isOrdered) streamed(rows, areWide = false)
      else if (layout.sortsItself) collected()
      else {
        val sorter = newSorter()
        while (rows.hasNext) sorter.add(wide(rows.next()))
        sorted(sorter)
      }
    window = new SlidingWindow(spec, source, memory)
    writer = new AnswerWriter(spec, window.answers)
    val (collectedRows, slidingWindow) = (source, window)
    task.addTaskCompletionListener[Unit] { _ =>
      collectedRows.close()
      slidingWindow.close()
    }
    if (layout.isRanged) skipHalo()
  }

  private def skipHalo(): Unit = {
    var before = haloRows.before
    while (before > 0 && (at < ready || advance())) {
      source.next()
      at += 1
      before -= 1
    }
    remaining = haloRows.inRange
  }

  private def end(): Unit = if (window != null) {
    metrics("numOutputRows").add(out)
    metrics("numGroups").add(window.partitions)
    metrics("slideTime").add(window.slideNanos / 1000000L)
    metrics("peakMemory").add(source.peakBytes + window.peakBytes)
    source.close()
    window.close()
    window = null
  }

  private def spilled: Long => Unit = metrics("spillSize").add(_)

  private def streamed(ordered: Iterator[InternalRow], areWide: Boolean): OrderedRows = {
    var queue: RowQueue = null
    val memory =
      new SlidingMemory(
        manager,
        manager.getTungstenMemoryMode,
        t => if (queue == null) 0L else queue.freeOrSpill(t)
      )
    queue = new RowQueue(layout.wide.length, memory, spilled)
    new StreamedRows(layout, partition, ordered, areWide, queue)
  }

  private def newSorter(): RowSorter = {
    val sorter = new RowSorter(layout)
    task.addTaskCompletionListener[Unit](_ => sorter.close())
    sorter
  }

  private def sorted(sorter: RowSorter): OrderedRows = {
    val started = System.nanoTime()
    val ordered = sorter.sorted()
    metrics("sortTime").add((System.nanoTime() - started) / 1000000L)
    metrics("spillSize").add(sorter.spilledBytes)
    streamed(ordered, areWide = true)
  }

  /** Collects rows in memory and sorts them there. If Spark refuses the memory, Spark's sorter takes over. */
  private def collected(): OrderedRows = {
    val partitions = new PartitionNumbers(layout.partitionKeys)
    val store = new RowStore(layout, partitions.meter, spilled)
    task.addTaskCompletionListener[Unit](_ => store.close())
    val columns = UnsafeProjection.create(layout.columns)
    columns.initialize(partition)
    val canWiden = layout.canWiden
    var refused: UnsafeRow = null
    while (refused == null && rows.hasNext) {
      val row = rows.next()
      val number = partitions.numberOf(row)
      val record = columns(row)
      row match {
        case compact: UnsafeRow if canWiden =>
          if (!store.addWidened(compact, number, record)) refused = wide(row)
        case _ =>
          val widened = wide(row)
          if (!store.add(widened, number, record)) refused = widened
      }
    }
    val started = System.nanoTime()
    if (refused == null && store.sort(partitions.order)) {
      metrics("sortTime").add((System.nanoTime() - started) / 1000000L)
      store
    } else {
      metrics("handOvers").add(1)
      store.handOver()
      partitions.clear()
      val sorter = newSorter()
      store.handedOver.foreach(sorter.add)
      store.close()
      if (refused != null) sorter.add(refused)
      while (rows.hasNext) sorter.add(wide(rows.next()))
      sorted(sorter)
    }
  }
}
