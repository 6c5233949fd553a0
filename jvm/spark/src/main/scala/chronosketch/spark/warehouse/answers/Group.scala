package chronosketch.spark.warehouse.answers

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.rank.RankProfile
import chronosketch.spark.warehouse.manifest.Run
import chronosketch.spark.warehouse.runs.GroupSummary
import chronosketch.warehouse.{KnownRanks, Search}

/** What is known of one group in the runs and live batches that have it. */
private[answers] final class Group(val by: UnsafeRow) {
  private val runs = mutable.ArrayBuffer.empty[(Run, GroupSummary)]
  private val known = mutable.ArrayBuffer.empty[KnownRanks]
  private var beside = RankProfile.empty
  private lazy val summed = Search.sum(known.toSeq, beside)

  // one for each answer that rows are read for
  private var found: Seq[Option[Search]] = Nil

  def searches: Seq[Search] = found.flatten

  def add(run: Run, summary: GroupSummary): Unit = {
    runs += ((run, summary))
    known += summary.known
  }

  /** Rows that are in no order: what their sketch leaves in doubt, stays so. */
  def addLive(summary: GroupSummary): Unit = beside = beside.plus(summary.profile)

  /** Some of the rows of this run count, and nobody knows which. */
  def cut(summary: GroupSummary): Unit =
    beside = beside.plus(RankProfile.straddling(summary.known.profile))

  def search(wanted: Wanted): Unit =
    found = (0 until wanted.size).map(wanted.search(_, known.toIndexedSeq, summed, beside))

  /** The run of a place that a search names, and the row of its first place. */
  def run(i: Int): (Run, Long) = {
    val (run, summary) = runs(i)
    (run, summary.firstRow)
  }

  /** What is certain for the i-th answer. */
  def profile(i: Int): RankProfile = found.lift(i).flatten.fold(summed)(_.profile)
}
