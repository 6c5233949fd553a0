package chronosketch.spark.history.operator

import java.util.Arrays

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow

import chronosketch.Refusal
import chronosketch.history.HistoryBuilder
import chronosketch.memory.{Meter, Metered}
import chronosketch.spark.history.{ChangeSink, RowLifetime}
import chronosketch.spark.sql.{Conditions, SparkPrivates}

/** Builds the histories of one call, group after group, from rows in order of version.
  *
  * Cost  that of the builder, and 24 bytes for each row that has not reached its end; no object per row
  */
private[operator] final class GroupHistory(call: HistoryCall, meter: Meter) extends ChangeSink {
  private val cancellation = SparkPrivates.cancellationOf(TaskContext.get())
  private val lifetime = new RowLifetime(call.answer.latest, call.recipe.versions)
  private val ends = new PendingEnds
  private var builder: HistoryBuilder = null
  ends.meteredBy(meter)

  def start(): Unit = {
    builder = new HistoryBuilder(call.recipe, cancellation)
    builder.meteredBy(meter)
  }

  /** Adds a row. Versions must not decrease within a group. */
  def add(row: InternalRow, version: Long): Unit =
    if (!row.isNullAt(call.value) && (call.change < 0 || !row.isNullAt(call.change))) {
      val key = row.getLong(call.value)
      val change = if (call.change < 0) 1L else row.getLong(call.change)
      // runs for each row: try costs nothing, a closure would allocate an object
      try {
        if (call.until < 0 || row.isNullAt(call.until)) lifetime.add(version, key, change, this)
        else lifetime.add(version, row.getLong(call.until), key, change, this)
      } catch { case refusal: Refusal => throw Conditions.runtimeError(refusal, call.context) }
    }

  def insert(version: Long, key: Long, change: Long): Unit = {
    endUntil(version)
    builder.update(version, key, change)
  }

  def insertLater(version: Long, key: Long, change: Long): Unit = ends.add(version, key, change)

  /** Deletes the values of rows that end at or before a version. */
  private def endUntil(version: Long): Unit = {
    var ended = 0
    while (!ends.isEmpty && ends.version <= version) {
      cancellation.checkAt(ended)
      ended += 1
      builder.update(ends.version, ends.key, ends.change)
      ends.removeFirst()
    }
  }

  /** Completes the group and returns its answer. */
  def finish(): Any = {
    val answer = Conditions.answering(call.context) {
      endUntil(Long.MaxValue)
      call.answer.compute(builder.result())
    }
    builder.meteredBy(null)
    builder = null
    answer
  }
}

/** A priority queue of the changes that are due when rows end, the earliest first.
  *
  * Guarantee  [[version]], [[key]] and [[change]] are those of an entry with the least version
  * Cost       log n per change, 24 bytes; no object
  * Units      versions as keys of their type
  * Source     a binary heap in arrays (Williams, Algorithm 232, CACM 1964)
  */
private[operator] final class PendingEnds extends Metered {
  private var versions, keys, changes = Array.emptyLongArray
  private var n = 0

  def isEmpty: Boolean = n == 0

  /** The version of the first entry. */
  def version: Long = versions(0)
  def key: Long = keys(0)
  def change: Long = changes(0)

  def add(version: Long, key: Long, change: Long): Unit = {
    if (n == versions.length) grow()
    var at = n
    n += 1
    while (at > 0 && versions((at - 1) >> 1) > version) {
      move((at - 1) >> 1, at)
      at = (at - 1) >> 1
    }
    put(at, version, key, change)
  }

  /** Removes the first entry. */
  def removeFirst(): Unit = {
    n -= 1
    val version = versions(n)
    val key = keys(n)
    val change = changes(n)
    var at = 0
    var child = leastChild(at)
    while (child >= 0 && versions(child) < version) {
      move(child, at)
      at = child
      child = leastChild(at)
    }
    if (n > 0) put(at, version, key, change)
  }

  /** The child with the lesser version; -1 for a leaf. */
  private def leastChild(at: Int): Int = {
    val left = 2 * at + 1
    if (left >= n || left < 0) -1
    else if (left + 1 < n && versions(left + 1) < versions(left)) left + 1
    else left
  }

  private def move(from: Int, to: Int): Unit = {
    versions(to) = versions(from)
    keys(to) = keys(from)
    changes(to) = changes(from)
  }

  private def put(at: Int, version: Long, key: Long, change: Long): Unit = {
    versions(at) = version
    keys(at) = key
    changes(at) = change
  }

  private def grow(): Unit = {
    val room = math.max(16, versions.length + (versions.length >> 1))
    versions = Arrays.copyOf(versions, room)
    keys = Arrays.copyOf(keys, room)
    changes = Arrays.copyOf(changes, room)
    report()
  }

  protected def heldBytes: Long = 3 * Meter.longs(versions.length)
}
