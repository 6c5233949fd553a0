package chronosketch.spark.aggregate.operator

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.UnsafeExternalRowSorter
import org.apache.spark.sql.types.{BinaryType, StructField, StructType}
import org.apache.spark.unsafe.types.ByteArray
import org.apache.spark.util.collection.unsafe.sort.PrefixComparators

import chronosketch.spark.rows.RowLimit
import chronosketch.spark.sql.SparkPrivates

/** Spills the groups of a final aggregation if memory is short. Groups are written as rows of its input to Spark's external sorter: their
  * parts are not merged before all of them are read back.
  *
  * Rows are sorted by the hash of their key, then by its bytes. Every key that can be grouped by can be sorted this way.
  */
final class SpilledGroups(spec: AggregateSpec) {
  private val types = spec.keys ++ spec.columns.map(_ => BinaryType) ++ spec.initial.map(_.dataType)
  private val schema = StructType(types.zipWithIndex.map { case (t, i) => StructField(s"c$i", t) })
  private def keyProjection() =
    UnsafeProjection.create(spec.keys.zipWithIndex.map { case (t, i) =>
      BoundReference(i, t, nullable = true)
    })
  private val toRow = UnsafeProjection.create(schema)
  private var written = 0L

  // the buffers of Spark's functions are in the first row of a group
  private lazy val initial = spec.initialBuffer

  private val sorter = {
    val (left, right) = (keyProjection(), keyProjection())
    val byBytes: Ordering[InternalRow] =
      (a, b) => ByteArray.compareBinary(left(a).getBytes, right(b).getBytes)
    val hash = keyProjection()
    val computer = new UnsafeExternalRowSorter.PrefixComputer {
      private val prefix = new UnsafeExternalRowSorter.PrefixComputer.Prefix
      def computePrefix(row: InternalRow): UnsafeExternalRowSorter.PrefixComputer.Prefix = {
        prefix.value = hash(row).hashCode().toLong
        prefix
      }
    }
    UnsafeExternalRowSorter.create(
      schema,
      byBytes,
      PrefixComparators.LONG,
      computer,
      SparkPrivates.memoryOf(TaskContext.get()).pageSizeBytes,
      false // radix sort would compare only the hash
    )
  }

  private lazy val sorted = sorter.sort()
  private lazy val nextKey = keyProjection()
  private var waiting: UnsafeRow = null
  private var aggregator: RowRules.Aggregator = null

  /** The number of bytes written, before compression by Spark. */
  def bytes: Long = written

  /** Writes all groups of a state. */
  def write(state: AggregateState): Unit = {
    val joined = new JoinedRow
    val values = new Array[Any](spec.columns.length)
    val sketches = new GenericInternalRow(values)
    val rowLimit = new RowLimit
    val keysAndSketches = new JoinedRow
    var group = 0
    while (group < state.groupKeys.size) {
      state.endIfKilled()
      val parts = Array.tabulate(spec.columns.length)(state.takeParts(_, group))
      var rows = 1
      parts.foreach(column => rows = math.max(rows, column.length))
      var n = 0
      while (n < rows) {
        var i = 0
        while (i < parts.length) {
          values(i) = if (n < parts(i).length) parts(i)(n) else AggregateState.NoSketch
          i += 1
        }
        rowLimit.require(values)
        keysAndSketches(state.groupKeys.row(group), sketches)
        val row =
          if (spec.initial.isEmpty) toRow(keysAndSketches)
          else toRow(joined(keysAndSketches, if (n == 0) state.buffer(group) else initial))
        written += row.getSizeInBytes
        sorter.insertRow(row)
        n += 1
      }
      group += 1
    }
  }

  /** Merges all rows of the next group into an empty state. Returns false if no group is left. */
  def unite(state: AggregateState): Boolean = {
    if (waiting == null && sorted.hasNext) waiting = sorted.next().asInstanceOf[UnsafeRow]
    waiting != null && {
      if (aggregator == null) aggregator = spec.rows.into(state, 0)
      val key = nextKey(waiting).copy()
      while (waiting != null && nextKey(waiting) == key) {
        aggregator.add(waiting)
        if (!state.requestMemory()) state.freeOrSpill()
        waiting = if (sorted.hasNext) sorted.next().asInstanceOf[UnsafeRow] else null
      }
      true
    }
  }

  def free(): Unit = sorter.cleanupResources()
}
