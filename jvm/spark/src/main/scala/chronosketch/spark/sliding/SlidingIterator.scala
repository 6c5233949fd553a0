package chronosketch.spark.sliding

import org.apache.spark.TaskContext
import org.apache.spark.memory.MemoryMode
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._

import chronosketch.spark.aggregate.operator.{GroupKeys, LongKey, LongKeys, OneGroup, RowKeys}
import chronosketch.spark.memory.SlidingMemory
import chronosketch.spark.sql.SparkPrivates
import chronosketch.memory.Meter

/** The rows of one partition, sorted, each with its answers. */
final class SlidingIterator(spec: SlidingSpec, partition: Int, input: Iterator[InternalRow])
    extends Iterator[InternalRow] {
  private val task = TaskContext.get()
  private val manager = SparkPrivates.memoryOf(task)
  private val wide = UnsafeProjection.create(spec.wide)
  private val metrics = spec.metrics
  wide.initialize(partition)

  private var source: OrderedRows = null
  private var window: SlidingWindow = null
  private var writer: AnswerWriter = null
  private var at, ready = 0
  private var out = 0L
  private val counted = if (spec.isRanged) new HaloRows(input, spec.width) else null
  private val rows = if (spec.isRanged) counted else input
  private var left = Long.MaxValue // rows that go out

  override def hasNext: Boolean = {
    if (source == null) begin()
    if (left > 0) at < ready || advance()
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
    val row = writer.write(source.next(), at)
    at += 1
    out += 1
    left -= 1
    row
  }

  private def begin(): Unit = {
    val memory = new SlidingMemory(manager, MemoryMode.ON_HEAP, _ => 0L)
    source =
      if (spec.isOrdered) streamed(rows.map(row => wide(row)))
      else if (spec.sortsItself) collected()
      else {
        val sorter = newSorter()
        while (rows.hasNext) sorter.add(wide(rows.next()))
        sorted(sorter)
      }
    window = new SlidingWindow(spec, source, memory)
    writer = new AnswerWriter(spec, window)
    val (collectedRows, slid) = (source, window)
    task.addTaskCompletionListener[Unit] { _ =>
      collectedRows.close()
      slid.close()
    }
    if (spec.isRanged) passHalo()
  }

  private def passHalo(): Unit = {
    var before = counted.before
    while (before > 0 && (at < ready || advance())) {
      source.next()
      at += 1
      before -= 1
    }
    left = counted.own
  }

  private def end(): Unit = if (window != null) {
    metrics("numOutputRows").add(out)
    metrics("numGroups").add(window.groupCount)
    metrics("slideTime").add(window.slideNanos / 1000000L)
    metrics("peakMemory").add(source.peakBytes + window.peakBytes)
    source.close()
    window.close()
    window = null
  }

  private def streamed(ordered: Iterator[UnsafeRow]): OrderedRows = {
    var queue: RowQueue = null
    val memory =
      new SlidingMemory(
        manager,
        manager.getTungstenMemoryMode,
        t => if (queue == null) 0L else queue.relieve(t)
      )
    queue = new RowQueue(spec.wide.length, memory, bytes => metrics("spillSize").add(bytes))
    new StreamedRows(spec, partition, ordered, queue)
  }

  private def newSorter(): RowSorter = {
    val sorter = new RowSorter(spec)
    task.addTaskCompletionListener[Unit](_ => sorter.close())
    sorter
  }

  private def sorted(sorter: RowSorter): OrderedRows = {
    val started = System.nanoTime()
    val ordered = sorter.sorted()
    metrics("sortTime").add((System.nanoTime() - started) / 1000000L)
    metrics("spillSize").add(sorter.spilledBytes)
    streamed(ordered)
  }

  /** Into memory, and sorted there; where there is not enough of it, by Spark's sorter. */
  private def collected(): OrderedRows = {
    val groups = new Groups(spec.groupKeys)
    val store = new RowStore(spec, groups.meter)
    task.addTaskCompletionListener[Unit](_ => store.close())
    val columns = UnsafeProjection.create(spec.columns)
    columns.initialize(partition)
    var waiting: UnsafeRow = null
    while (waiting == null && rows.hasNext) {
      val row = rows.next()
      val group = groups.of(row)
      val there = wide(row)
      if (!store.add(there, group, columns(row))) waiting = there
    }
    val started = System.nanoTime()
    if (waiting == null && store.sort(groups.order)) {
      metrics("sortTime").add((System.nanoTime() - started) / 1000000L)
      store
    } else {
      metrics("handOvers").add(1)
      store.handOver()
      groups.clear()
      val sorter = newSorter()
      store.handedOver.foreach(sorter.add)
      store.close()
      if (waiting != null) sorter.add(waiting)
      while (rows.hasNext) sorter.add(wide(rows.next()))
      sorted(sorter)
    }
  }
}

/** Numbers the groups of a window. */
private final class Groups(keys: Seq[Expression]) {
  val meter = new Meter
  private val types = keys.map(_.dataType)
  private val project = UnsafeProjection.create(keys)
  private val groups: GroupKeys =
    if (keys.isEmpty) OneGroup
    else if (keys.length == 1 && LongKey.of(types.head).nonEmpty) new LongKeys(types.head, meter)
    else new RowKeys(types.length, meter)
  private val longKeys = groups match {
    case long: LongKeys => long
    case _ => null
  }
  private val longKey: UnsafeProjection =
    if (longKeys == null) null else UnsafeProjection.create(Seq(GroupNumber(keys.head)))

  def of(row: InternalRow): Int =
    if (longKeys != null) {
      val key = longKey(row)
      if (key.isNullAt(0)) longKeys.findNull() else longKeys.find(key.getLong(0))
    } else groups.find(project(row))

  def order: Array[Int] = GroupOrder.of(groups, types)

  def clear(): Unit = groups.clear()
}
