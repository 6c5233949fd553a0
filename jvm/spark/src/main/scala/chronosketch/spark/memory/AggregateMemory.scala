package chronosketch.spark.memory

import org.apache.spark.memory.{MemoryConsumer, MemoryMode, TaskMemoryManager}

import chronosketch.memory.Meter

/** Asks Spark for the memory that an aggregation has come to hold.
  *
  * Cost  a comparison a row; Spark is asked for an eighth more than there is, a mebibyte at least
  *
  * Nothing is spilled in the midst of a row: a consumer of the same task that wants memory gets it after the next one.
  */
final class AggregateMemory(manager: TaskMemoryManager, meter: Meter)
    extends MemoryConsumer(manager, manager.pageSizeBytes, MemoryMode.ON_HEAP) {
  private var granted = 0L
  private var allowance = 0L
  private var isWanted = false
  private var isLeaving = false
  private var most = 0L

  def peakBytes: Long = {
    most = math.max(most, meter.bytes)
    most
  }

  /** Whether more is held than Spark allows: then it must be given back. */
  def isExhausted: Boolean = meter.bytes > allowance && isRefused

  /** Asks for what is held, for an owner that can give nothing back: others of the task give way. */
  def ask(): Unit = { isExhausted; () }

  private def isRefused: Boolean = {
    val held = meter.bytes
    most = math.max(most, held)
    if (held > granted && !isWanted) {
      val wanted = held - granted + math.max(AggregateMemory.SmallestStep, held / 8)
      granted += acquireMemory(wanted)
    }
    val refused = isWanted || held > granted
    isWanted = false
    // so little, or just refused: not asked again before it has grown by a step
    allowance = math.max(granted, held + (if (held > granted) AggregateMemory.SmallestStep else 0L))
    refused && held >= AggregateMemory.SmallestStep
  }

  /** What is held is on its way out, until it is released: whoever takes it in, a sorter or a shuffle, may have to ask for
    * the very memory, and gets it ahead of time.
    */
  def leave(): Unit = isLeaving = true

  /** What is no longer held goes back. */
  def release(): Unit = {
    isLeaving = false
    if (granted > 0) freeMemory(granted)
    granted = 0L
    allowance = 0L
  }

  override def spill(size: Long, trigger: MemoryConsumer): Long =
    if (trigger eq this) 0L
    else if (isLeaving) {
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
