package chronosketch.warehouse

import chronosketch.rank.{Phi, RankProfile}

/** Finds which keys must be read from sorted runs to answer a question about all runs together with another bag.
  *
  * Guarantee  [[profile]] is right at all times, for every key. Once [[nextReads]] is empty, the runs cause no uncertainty: what remains
  *            is the uncertainty of `live`
  * Cost       a pass reads at most [[Search.MaxProbes]] rows of a stretch and leaves one part of it; stretches of a few pages are read
  *            whole. A billion rows with ε = 1e-3 take three passes
  * Units      ranks start at 1
  * Source     Singh et al., HistStream, VLDB 2016, Algorithm 8; differs: it bisects all runs and all questions in the same few passes,
  *            and measures progress by the number of unknown rows, not of ranks: with ties the two differ without limit
  *
  * @param live   the rank bounds of the elements that are not in runs
  * @param bounds the least and greatest key on which the answer depends, given the current profile; each pass brings them closer
  */
final class Search(
    start: IndexedSeq[KnownRanks],
    sum: RankProfile,
    live: RankProfile,
    bounds: RankProfile => (Long, Long)
) {
  private var runs = start
  private var current = sum
  private var low, high = 0L
  narrow()

  /** The current rank bounds of all elements. */
  def profile: RankProfile = current

  private def narrow(): Unit = if (!current.isEmpty) {
    val (least, greatest) = bounds(current)
    low = least
    high = greatest
    runs = runs.map(_.restrictedTo(low, high))
  }

  /** What to read next, by run and rank; empty if reading would not improve the answer. */
  def nextReads: Seq[RunStretch] =
    if (current.isEmpty) Nil
    else
      for {
        (run, i) <- runs.zipWithIndex
        stretch <- run.unknownStretches(low, high)
        part <- Search.parts(stretch)
      } yield RunStretch(i, part)

  /** Takes the keys read for [[nextReads]]. */
  def learn(read: Seq[(RunStretch, Array[Long])]): Unit = {
    val byRun = read.groupBy(_._1.run)
    runs = runs.zipWithIndex.map { case (run, i) =>
      byRun.get(i).fold(run)(found => run.withKeys(found.map { case (a, keys) => a.stretch -> keys }))
    }
    current = Search.sum(runs, live)
    narrow()
  }
}

object Search {

  /** The rows of a page of a run, which are read at once in any case. */
  private val PageRows = 1000L
  private val MaxProbes = 16

  def ofQuantile(runs: IndexedSeq[KnownRanks], sum: RankProfile, live: RankProfile, phi: Phi): Search =
    new Search(runs, sum, live, _.quantileBounds(phi))

  def ofRank(runs: IndexedSeq[KnownRanks], sum: RankProfile, live: RankProfile, key: Long): Search =
    new Search(runs, sum, live, _ => (key, key))

  /** The sum of the profiles of all runs and the live elements. */
  def sum(runs: Seq[KnownRanks], live: RankProfile): RankProfile = {
    // add them pairwise: added one by one, the sum would be copied for every run
    var profiles = runs.iterator.map(_.profile).toVector :+ live
    while (profiles.size > 1)
      profiles = profiles.grouped(2).map(_.reduce(_ plus _)).toVector
    profiles.head
  }

  /** The whole stretch if it is a few pages; else evenly spread single rows, about as many pages as each part between them has. */
  private def parts(stretch: Stretch): Seq[Stretch] = {
    val probes = math.min(MaxProbes, math.ceil(math.sqrt(stretch.length.toDouble / PageRows)).toInt)
    if (stretch.length <= 4 * PageRows) Seq(stretch)
    else
      (1 to probes).map { j =>
        // divide first, because length · j may overflow
        val rank = stretch.from + stretch.length / (probes + 1) * j
        Stretch(rank, rank + 1)
      }
  }
}

/** A stretch of rows of one of several runs. */
final case class RunStretch(run: Int, stretch: Stretch)
