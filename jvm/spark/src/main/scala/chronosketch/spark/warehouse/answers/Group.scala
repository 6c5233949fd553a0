package chronosketch.spark.warehouse.answers

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.rank.RankProfile
import chronosketch.spark.warehouse.manifest.Run
import chronosketch.spark.warehouse.runs.GroupSummary
import chronosketch.warehouse.{KnownRanks, Search}

/** Collects what the runs and live batches tell about one group, and searches for its answers. */
private[answers] final class Group(val by: UnsafeRow) {
  private val runs = mutable.ArrayBuffer.empty[(Run, GroupSummary)]
  private val ranks = mutable.ArrayBuffer.empty[KnownRanks]
  // rank bounds of live batches and of a run that the window cuts: no search reads their rows
  private var live = RankProfile.empty
  private lazy val summed = Search.sum(ranks.toSeq, live)

  // the search of each answer; None if no rows need to be read for it
  private var searchByAnswer: Seq[Option[Search]] = Nil

  def searches: Seq[Search] = searchByAnswer.flatten

  def add(run: Run, summary: GroupSummary): Unit = {
    runs += ((run, summary))
    ranks += summary.known
  }

  /** Adds a live batch. Its rows are unsorted, so the uncertainty of its sketch remains. */
  def addLive(summary: GroupSummary): Unit = live = live.plus(summary.profile)

  /** Adds a run that is partly inside the window: it is unknown which of its rows count. */
  def cut(summary: GroupSummary): Unit =
    live = live.plus(RankProfile.straddling(summary.known.profile))

  /** Begins a search for each answer. */
  def search(wanted: Wanted): Unit =
    searchByAnswer = (0 until wanted.size).map(wanted.search(_, ranks.toIndexedSeq, summed, live))

  /** The run that a search refers to as `i`, and the row at which the group begins in it. */
  def run(i: Int): (Run, Long) = {
    val (run, summary) = runs(i)
    (run, summary.firstRow)
  }

  /** The rank bounds for the i-th answer. */
  def profile(i: Int): RankProfile = searchByAnswer.lift(i).flatten.fold(summed)(_.profile)
}
