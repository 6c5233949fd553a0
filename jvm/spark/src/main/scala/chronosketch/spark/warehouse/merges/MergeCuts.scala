package chronosketch.spark.warehouse.merges

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.rank.{Phi, RankProfile}
import chronosketch.spark.warehouse.runs.GroupSummary

/** Some rows of a group in a run: of those from `from` until `until` the ones whose keys are from `least` to `greatest`. */
private[merges] final case class RowRange(by: UnsafeRow, from: Long, until: Long, least: Long, greatest: Long)

/** What a task merges: of each run its rows, in order. */
private[merges] final case class MergePart(ranges: Array[Array[RowRange]])

/** Where runs are cut, so that each part of all of them can be merged alone.
  *
  * Guarantee  every row is in one part, and parts come in order
  * Cost       the sketches of all groups, in the driver; a cut inside a group has each run read at both of its sides what its summary
  *            leaves in doubt
  *
  * Copies of a key are in one part.
  */
private[merges] object MergeCuts {

  /** @param runs  of each run its groups, in order
    * @param most  about how many rows a part has, where keys differ
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

  /** Each group with the runs that have it. */
  private def groups(
      runs: IndexedSeq[Seq[GroupSummary]],
      order: Ordering[InternalRow]
  ): Seq[Seq[(Int, GroupSummary)]] = {
    val byGroup = mutable.HashMap.empty[UnsafeRow, mutable.ArrayBuffer[(Int, GroupSummary)]]
    for ((summaries, run) <- runs.zipWithIndex; summary <- summaries)
      byGroup.getOrElseUpdate(summary.by, mutable.ArrayBuffer.empty) += ((run, summary))
    byGroup.toSeq.sortBy(g => g._1: InternalRow)(order).map(_._2.toSeq)
  }

  /** A group in pieces, one after the other. */
  private def pieces(
      group: Seq[(Int, GroupSummary)],
      rows: Long,
      most: Long
  ): Seq[Seq[(Int, RowRange)]] = {
    val wanted = ((rows + most - 1) / most).toInt
    // not opened where it stays whole: there may be many groups
    val profiles = if (wanted == 1) Nil else group.map(_._2.profile)
    val cuts = if (wanted == 1) Nil else keys(profiles.reduce(_ plus _), wanted)
    (0 to cuts.size).map { piece =>
      group.indices.map { i =>
        val (run, summary) = group(i)
        // how many rows have keys up to a cut: at least, and at most
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

  /** Keys that cut a group into so many pieces, or fewer where few keys are many rows. */
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
