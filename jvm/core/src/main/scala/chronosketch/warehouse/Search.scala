package chronosketch.warehouse

import chronosketch.rank.{Phi, RankProfile}

/** Which keys have to be read from sorted runs before a question about all of them, and a bag beside them, is answered?
  *
  * Guarantee  [[profile]] is right at all times, for every key; once nothing is [[asked]] any more, the runs leave nothing in doubt:
  *            what is uncertain is what `beside` leaves uncertain
  * Cost       a pass reads at most [[Search.MostProbes]] places of a stretch and leaves one part of it; stretches of a few pages are
  *            read whole. Of a billion rows with ε = 1e-3, three passes
  * Units      places and ranks from 1
  * Source     Singh et al., HistStream, VLDB 2016, Algorithm 8; departs: it bisects all runs and all questions in the same few passes,
  *            and takes the number of unknown places, not of ranks, for what is left: under ties the two differ without limit
  *
  * @param bounds of all keys those that the answer depends on, least and greatest; what is learned brings them together
  */
final class Search(
    start: IndexedSeq[KnownRanks],
    sum: RankProfile,
    beside: RankProfile,
    bounds: RankProfile => (Long, Long)
) {
  private var runs = start
  private var current = sum
  private var low, high = 0L
  narrow()

  /** What is certain now. */
  def profile: RankProfile = current

  private def narrow(): Unit = if (!current.isEmpty) {
    val (least, greatest) = bounds(current)
    low = least
    high = greatest
    runs = runs.map(_.around(low, high))
  }

  /** What to read next, in order of run and place; nothing where reading does not help any more. */
  def asked: Seq[Asked] =
    if (current.isEmpty) Nil
    else
      for {
        (run, i) <- runs.zipWithIndex
        stretch <- run.unknown(low, high)
        part <- Search.parts(stretch)
      } yield Asked(i, part)

  /** Takes the keys that stand where it [[asked]]. */
  def learn(read: Seq[(Asked, Array[Long])]): Unit = {
    val byRun = read.groupBy(_._1.run)
    runs = runs.zipWithIndex.map { case (known, i) =>
      byRun.get(i).fold(known)(found => known.learning(found.map { case (a, keys) => a.stretch -> keys }))
    }
    current = Search.sum(runs, beside)
    narrow()
  }
}

object Search {

  /** Keys that are read at once in any case: the rows of a page of a run. */
  private val PageRows = 1000L
  private val MostProbes = 16

  def ofQuantile(runs: IndexedSeq[KnownRanks], sum: RankProfile, beside: RankProfile, phi: Phi): Search =
    new Search(runs, sum, beside, _.quantileBounds(phi))

  def ofRank(runs: IndexedSeq[KnownRanks], sum: RankProfile, beside: RankProfile, key: Long): Search =
    new Search(runs, sum, beside, _ => (key, key))

  /** What is certain of all runs and what is beside them. */
  def sum(runs: Seq[KnownRanks], beside: RankProfile): RankProfile = {
    // two and two: one after the other, the first is copied for every run
    var profiles = runs.iterator.map(_.profile).toVector :+ beside
    while (profiles.size > 1)
      profiles = profiles.grouped(2).map(_.reduce(_ plus _)).toVector
    profiles.head
  }

  /** All of it where that is a few pages; else as many places as make its parts about as long as all that is read here. */
  private def parts(stretch: Stretch): Seq[Stretch] = {
    val probes = math.min(MostProbes, math.ceil(math.sqrt(stretch.length.toDouble / PageRows)).toInt)
    if (stretch.length <= 4 * PageRows) Seq(stretch)
    else
      (1 to probes).map { j =>
        // in two steps: a length of 63 bits times the probe does not fit
        val place = stretch.from + stretch.length / (probes + 1) * j
        Stretch(place, place + 1)
      }
  }
}
