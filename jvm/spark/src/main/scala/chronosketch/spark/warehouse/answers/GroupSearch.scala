package chronosketch.spark.warehouse.answers

import org.apache.spark.sql.catalyst.expressions.UnsafeRow

import chronosketch.rank.RankProfile
import chronosketch.spark.warehouse.manifest.Run
import chronosketch.spark.warehouse.runs.GroupSummary
import chronosketch.warehouse.{RunStretch, Search}

/** Searches for the answers about one group.
  *
  * @param runs       the runs that have the group, with its summary in each
  * @param unread     the rank bounds of the group's other rows, which no search reads
  * @param isAccurate whether rows of runs are read; otherwise there is nothing to search
  */
private[answers] final class GroupSearch(
    val by: UnsafeRow,
    runs: IndexedSeq[(Run, GroupSummary)],
    unread: RankProfile,
    answers: GroupAnswers,
    isAccurate: Boolean
) {
  private val ranks = runs.map { case (_, summary) => summary.knownRanks }
  private val sum = Search.sum(ranks, unread)

  // the search of each answer; None if no rows need to be read for it
  private val searchByAnswer: Seq[Option[Search]] =
    if (isAccurate) (0 until answers.size).map(answers.search(_, ranks, sum, unread)) else Nil

  def searches: Seq[Search] = searchByAnswer.flatten

  /** The run that a search refers to as `i`, and the row at which the group begins in it. */
  def run(i: Int): (Run, Long) = {
    val (run, summary) = runs(i)
    (run, summary.firstRow)
  }

  /** The rank bounds for the i-th answer. */
  def profile(i: Int): RankProfile = searchByAnswer.lift(i).flatten.fold(sum)(_.profile)
}

/** Reads the rows that the searches of all groups need, pass by pass, until none needs more. A range that several searches need in a pass
  * is read once.
  */
private[answers] object SearchPasses {

  /** Runs all searches. `text` describes their purpose in the names of Spark jobs. */
  def run(groups: Seq[GroupSearch], reader: RunRangeReader, text: String): Unit = {
    val all = groups.flatMap(g => g.searches.map(g -> _))
    var open = all
    var pass = 0
    while (open.nonEmpty) {
      val active =
        open.map { case (group, search) => (group, search, search.nextReads) }.filter(_._3.nonEmpty)
      val ranges = active.flatMap { case (group, _, reads) => reads.map(range(group, _)) }.distinct
      pass += 1
      val keys = reader.read(
        ranges,
        s"$text, pass $pass: ${ranges.size} places for ${active.size} of ${all.size} answers"
      )
      active.foreach { case (group, search, reads) =>
        search.learn(reads.map(r => r -> keys(range(group, r))))
      }
      open = active.map { case (group, search, _) => (group, search) }
    }
  }

  private def range(group: GroupSearch, read: RunStretch): RunRange = {
    val (run, firstRow) = group.run(read.run)
    // ranks start at 1, rows at 0
    RunRange(run, firstRow + read.stretch.from - 1, firstRow + read.stretch.until - 1)
  }
}
