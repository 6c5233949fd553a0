package chronosketch.spark.warehouse.runs

import scala.collection.mutable
import scala.reflect.ClassTag

import org.apache.spark.TaskContext
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow
import org.apache.spark.sql.types.StructType

import chronosketch.rank.{Phi, RankProfile}
import chronosketch.spark.warehouse.manifest.{Definition, Run}

/** Merges sorted runs while they are read. Each task merges one part of the groups and keys.
  *
  * Cost    the value column is read once, and what summaries leave in doubt at the ends of parts twice
  * Memory  half a megabyte per run in each task; the summaries of all groups in the driver
  *
  * @param isRetained whether the rows of a group in a run are among the merged ones; the others are not read
  */
private[warehouse] final class RunMerge(
    session: SparkSession,
    folders: EntryFolders,
    definition: Definition,
    inputs: IndexedSeq[Run],
    maxRows: Long = PartCount.MaxMerged,
    isRetained: (Run, UnsafeRow) => Boolean = (_, _) => true
) extends SortedRows {
  val schema: StructType = definition.schema(definition.types.get)

  def mapParts[A: ClassTag](make: (TaskContext, Iterator[KeyBlock]) => A): SortedParts[A] = {
    val by = definition.bySchema(definition.types.get)
    val summaries = new EntrySummaries(session, folders).read(inputs, by)
    val groups =
      inputs.map(run => summaries.getOrElse(run.id, Nil).filter(group => isRetained(run, group.by)))
    val rows = groups.flatten.map(_.rows).sum
    val count = PartCount.of(rows, session.sparkContext.defaultParallelism, maxRows)
    val most = (rows + count - 1) / count
    val parts = MergeParts.cut(groups, Groups.ordering(by), most)
    val nulls = inputs.map(_.nulls).sum
    if (parts.isEmpty) SortedParts(Nil, nulls)
    else {
      val (shared, columns, runs) = (folders.shared(session), schema, inputs)
      val results = session.sparkContext.runJob(
        session.sparkContext.parallelize(parts, parts.size),
        (task: TaskContext, part: Iterator[MergePart]) => {
          val reader = new KeyReader(shared.local, columns, Some(task), KeyReader.FewPages)
          task.addTaskCompletionListener[Unit](_ => reader.close())
          val ranges = part.next().ranges
          val rows = runs.indices.map(i => new RunRows(runs(i), ranges(i).iterator, reader))
          make(task, new BlockMerge(rows, by))
        }
      )
      SortedParts(results.toSeq, nulls)
    }
  }
}

/** Iterates over ranges of rows of a run in order, block by block. */
private[runs] final class RunRows(run: Run, ranges: Iterator[RowRange], reader: KeyReader)
    extends Iterator[KeyBlock] {
  private var range: RowRange = null
  private var at = 0L
  private var block: KeyBlock = null

  def hasNext: Boolean = {
    while (block == null && (range != null && at < range.until || ranges.hasNext)) read()
    block != null
  }

  def next(): KeyBlock = {
    hasNext
    val next = block
    block = null
    next
  }

  /** Reads the next rows, and makes a block of those whose keys are inside the range, if there are any. */
  private def read(): Unit = {
    if (range == null || at == range.until) {
      range = ranges.next()
      at = range.from
    }
    val until = math.min(range.until, at + RunRows.Rows)
    val keys = reader.read(run, at, until)
    at = until
    var from = 0
    while (from < keys.length && keys(from) < range.least) from += 1
    var end = keys.length
    while (end > from && keys(end - 1) > range.greatest) end -= 1
    if (end > from) {
      if (from > 0) System.arraycopy(keys, from, keys, 0, end - from)
      block = KeyBlock(range.by, keys, end - from)
    }
  }
}

private[runs] object RunRows {

  /** The number of rows that are read at once. */
  private val Rows: Int = 1 << 14
}

/** Part of a group in a run: those rows from `from` until `until` whose keys are from `least` to `greatest`. */
private[runs] final case class RowRange(by: UnsafeRow, from: Long, until: Long, least: Long, greatest: Long)

/** The rows that one task merges: for each run its ranges, in order. */
private[runs] final case class MergePart(ranges: Array[Array[RowRange]])

/** Cuts runs into parts that can be merged independently.
  *
  * Guarantee  every row is in exactly one part, and the parts are in order
  * Cost       the sketches of all groups, in the driver. At a cut inside a group, both sides read the rows that the summaries leave in
  *            doubt
  *
  * All copies of a key are in one part.
  */
private[runs] object MergeParts {

  /** Cuts runs into parts.
    *
    * @param runs the groups of each run, in order
    * @param most the approximate number of rows per part, if keys are distinct
    */
  def cut(
      runs: IndexedSeq[Seq[GroupSummary]],
      order: Ordering[InternalRow],
      most: Long
  ): Seq[MergePart] = {
    val parts = mutable.ArrayBuffer.empty[MergePart]
    var open = new PartBuilder(runs.size)
    def end(): Unit = if (open.rows > 0) {
      parts += open.result
      open = new PartBuilder(runs.size)
    }
    byGroup(runs, order).foreach { group =>
      val rows = group.map(_._2.rows).sum
      if (open.rows + rows > most) end()
      pieces(group, rows, most).foreach { piece =>
        if (open.rows + piece.map(r => r._2.until - r._2.from).sum > most) end()
        piece.foreach { case (run, range) => open.add(run, range) }
      }
    }
    end()
    parts.toSeq
  }

  /** The groups in order, each with the runs that contain it. */
  private def byGroup(
      runs: IndexedSeq[Seq[GroupSummary]],
      order: Ordering[InternalRow]
  ): Seq[Seq[(Int, GroupSummary)]] = {
    val runsByGroup = mutable.HashMap.empty[UnsafeRow, mutable.ArrayBuffer[(Int, GroupSummary)]]
    for ((summaries, run) <- runs.zipWithIndex; summary <- summaries)
      runsByGroup.getOrElseUpdate(summary.by, mutable.ArrayBuffer.empty) += ((run, summary))
    runsByGroup.toSeq.sortBy(g => g._1: InternalRow)(order).map(_._2.toSeq)
  }

  /** Cuts a group into pieces, in order. */
  private def pieces(
      group: Seq[(Int, GroupSummary)],
      rows: Long,
      most: Long
  ): Seq[Seq[(Int, RowRange)]] = {
    val count = ((rows + most - 1) / most).toInt
    // do not decode sketches of groups that stay whole: there may be many groups
    val profiles = if (count == 1) Nil else group.map(_._2.profile)
    val cuts = if (count == 1) Nil else cutKeys(profiles.reduce(_ plus _), count)
    (0 to cuts.size).map { piece =>
      group.indices.map { i =>
        val (run, summary) = group(i)
        // the least and greatest number of rows whose keys are at most a cut
        val from = if (piece == 0) 0L else profiles(i).rankLow(profiles(i).position(cuts(piece - 1)))
        val until =
          if (piece == cuts.size) summary.rows else profiles(i).rankHigh(profiles(i).position(cuts(piece)))
        run -> RowRange(
          summary.by,
          summary.firstRow + from,
          summary.firstRow + until,
          if (piece == 0) Long.MinValue else cuts(piece - 1) + 1,
          if (piece == cuts.size) Long.MaxValue else cuts(piece)
        )
      }
    }
  }

  /** The keys that cut a group into this number of pieces; fewer if some keys have many copies. */
  private def cutKeys(profile: RankProfile, pieces: Int): Seq[Long] =
    (1 until pieces).map(i => profile.quantile(Phi(i.toDouble / pieces))).distinct
      .filter(_ < profile.maximum)

  private final class PartBuilder(runs: Int) {
    private val ranges = Array.fill(runs)(Array.newBuilder[RowRange])
    var rows = 0L

    def add(run: Int, range: RowRange): Unit = {
      ranges(run) += range
      rows += range.until - range.from
    }

    def result: MergePart = MergePart(ranges.map(_.result()))
  }
}
