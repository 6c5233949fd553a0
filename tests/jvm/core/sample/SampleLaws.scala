package chronosketch.sample

import chronosketch.rank.Phi
import chronosketch.summary.{InsertingLaws, Operation}

/** Laws that hold whichever rows are drawn: a sample consists of inserted values, and knows their count, minimum and maximum. */
sealed abstract class SampleLaws[S <: Sample](family: SampleFamily[S]) extends InsertingLaws[S](family) {
  protected def violations(sample: S, seen: Operation.Seen): Seq[String] = {
    val n = seen.values.sum
    val kept = sample.values
    val wanted = math.min(n, sample.header.numbers(0).toLong)
    val problems = Seq.newBuilder[String]
    if (sample.count != n) problems += s"count ${sample.count}, not $n"
    if (kept.length > wanted) problems += s"${kept.length} of $n values"
    if (family ne BernoulliSamples) {
      if (kept.length != wanted) problems += s"${kept.length} of $wanted values"
    }
    kept.toSeq.groupMapReduce(identity)(_ => 1L)(_ + _).foreach { case (key, copies) =>
      if (copies > seen.getOrElse(key, 0L)) problems += s"$copies of $key"
    }
    val keys = seen.keys.toSeq.sorted
    if (n > 0) {
      val ends = (sample.minimum, sample.maximum)
      if (ends != (Some(keys.head), Some(keys.last))) problems += s"from ${ends._1} to ${ends._2}"
      val answers = (sample.quantile(Phi(0.0)), sample.quantile(Phi(1.0)))
      if (answers != (keys.head, keys.last)) problems += s"ends $answers"
      if (sample.rankError < 0 || sample.rankError > 1) problems += s"error ${sample.rankError}"
      if (kept.length == n && (sample.confidence != 1.0 || sample.rankError != 0.0))
        problems += s"has all, ${sample.confidence}, ${sample.rankError}"
      if (kept.length < n && seen.size > 2 && sample.confidence == 1.0) problems += "certain of a part"
    }
    problems.result()
  }

  /** The bytes of the other methods show which rows have which priorities. */
  protected def knowsAll(sample: S): Boolean =
    if (family eq ReservoirSamples) sample.values.length == sample.count else sample.count == 0
}

object ReservoirLaws extends SampleLaws(ReservoirSamples)
object PriorityLaws extends SampleLaws(PrioritySamples)
object BernoulliLaws extends SampleLaws(BernoulliSamples)
