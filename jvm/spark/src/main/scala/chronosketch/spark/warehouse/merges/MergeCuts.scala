package chronosketch.spark.warehouse.merges

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.rank.{Phi, RankProfile}
import chronosketch.spark.warehouse.runs.GroupSummary

/** Part of a group in a run: of the rows from `from` until `until` those whose keys are from `least` to `greatest`. */
private[merges] final case class RowRange(by: UnsafeRow, from: Long, until: Long, least: Long, greatest: Long)

/** The rows that one task merges: for each run its ranges, in order. */
private[merges] final case class MergePart(ranges: Array[Array[RowRange]])

/** Cuts runs into parts that can be merged independently.
  *
  * Guarantee  every row is in exactly one part, and the parts are in order
  * Cost       the sketches of all groups, in the driver. At a cut inside a group, both sides read the rows that the summaries leave in
  *            doubt
  *
  * All copies of a key are in one part.
  */
private[merges] object MergeCuts {

  /** @param runs  the groups of each run, in order
    * @param most  the approximate number of rows per part, if keys are distinct
    */
  def of(
      runs: IndexedSeq[Seq[GroupSummary]],
      order: Ordering[InternalRow],
      most: Long
  ): Seq[MergePart] = {
    val parts = mutable.ArrayBuffer.empty[MergePart]
    var open = new Building(runs.size)
    def end(): Unit = if (open.rows > 0) {
      parts += open.result
      open = new Building(runs.size)
    }
    groups(runs, order).foreach { group =>
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
  private def groups(
      runs: IndexedSeq[Seq[GroupSummary]],
      order: Ordering[InternalRow]
  ): Seq[Seq[(Int, GroupSummary)]] = {
    val byGroup = mutable.HashMap.empty[UnsafeRow, mutable.ArrayBuffer[(Int, GroupSummary)]]
    for ((summaries, run) <- runs.zipWithIndex; summary <- summaries)
      byGroup.getOrElseUpdate(summary.by, mutable.ArrayBuffer.empty) += ((run, summary))
    byGroup.toSeq.sortBy(g => g._1: InternalRow)(order).map(_._2.toSeq)
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
    val cuts = if (count == 1) Nil else keys(profiles.reduce(_ plus _), count)
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
  private def keys(profile: RankProfile, pieces: Int): Seq[Long] =
    (1 until pieces).map(i => profile.quantile(Phi(i.toDouble / pieces))).distinct
      .filter(_ < profile.maximum)

  private final class Building(runs: Int) {
    private val ranges = Array.fill(runs)(Array.newBuilder[RowRange])
    var rows = 0L

    def add(run: Int, range: RowRange): Unit = {
      ranges(run) += range
      rows += range.until - range.from
    }

    def result: MergePart = MergePart(ranges.map(_.result()))
  }
}
