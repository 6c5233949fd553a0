package chronosketch.spark.memory

import org.apache.spark.memory.{MemoryConsumer, MemoryMode, TaskMemoryManager}

import chronosketch.memory.Meter

/** Requests memory from Spark for the groups of an aggregation.
  *
  * Cost  a comparison per row; each request adds an eighth of the memory in use, at least a mebibyte
  *
  * Nothing is spilled in the middle of a row. If another consumer of the same task needs memory, it gets it after the next row.
  */
final class AggregateMemory(manager: TaskMemoryManager, meter: Meter)
    extends MemoryConsumer(manager, manager.pageSizeBytes, MemoryMode.ON_HEAP) {
  private var granted = 0L
  private var allowance = 0L
  // whether another consumer of the task has asked for memory
  private var isWanted = false
  private var isReleasable = false
  private var peak = 0L
  private val refusals = new TestRefusals

  def peakBytes: Long = {
    peak = math.max(peak, meter.bytes)
    peak
  }

  /** Requests memory from Spark if more is in use than it has granted; other consumers of the task may spill for it. Returns false if
    * the owner has to free some, if it can.
    */
  def request(): Boolean = meter.bytes <= allowance || acquire()

  private def acquire(): Boolean = {
    val held = meter.bytes
    peak = math.max(peak, held)
    if (refusals.refuses()) {
      allowance = held + AggregateMemory.SmallestStep
      false
    } else acquire(held)
  }

  private def acquire(held: Long): Boolean = {
    if (held > granted && !isWanted) {
      val wanted = held - granted + math.max(AggregateMemory.SmallestStep, held / 8)
      granted += acquireMemory(wanted)
    }
    val refused = isWanted || held > granted
    isWanted = false
    // after a refusal, do not ask again until the memory in use has grown by a step
    allowance = math.max(granted, held + (if (held > granted) AggregateMemory.SmallestStep else 0L))
    !refused || held < AggregateMemory.SmallestStep
  }

  /** Marks the memory as about to be released. If a sorter or shuffle that receives the groups asks for memory meanwhile, the grant is
    * given back early.
    */
  def markReleasable(): Unit = isReleasable = true

  /** Returns all memory to Spark. */
  def release(): Unit = {
    isReleasable = false
    if (granted > 0) freeMemory(granted)
    granted = 0L
    allowance = 0L
  }

  override def spill(size: Long, trigger: MemoryConsumer): Long =
    if (trigger eq this) 0L
    else if (isReleasable) {
      val granting = granted
      granted = 0L
      allowance = 0L
      freeMemory(granting)
      granting
    } else {
      isWanted = true
      allowance = -1L
      0L
    }
}

private object AggregateMemory {
  val SmallestStep: Long = 1L << 20
}
